/** Reads the time since the start of this process, and the processor time that it and its children took. */
export function readClocks(): { wallMs: number; processorMs: number }
