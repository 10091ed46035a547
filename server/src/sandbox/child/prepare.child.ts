/** The program of the process that rewrites code and never runs it. It can be killed at any time. */
import { Socket } from 'node:net'
import { encodeFrame, FrameReader } from '../frames.ts'
import { rewrite } from './rewrite.child.ts'

const socket = new Socket({ fd: 3, readable: true, writable: true })
const reader = new FrameReader({ headerBytes: 1024 * 1024, bodyBytes: 64 * 1024 * 1024 })

function prepare(code: string): { readonly ok: boolean; readonly text: string } {
  try {
    return { ok: true, text: rewrite(code) }
  } catch (error) {
    const message = error instanceof SyntaxError ? error.message : 'it is nested too deeply'
    return { ok: false, text: `the code does not compile: ${message.slice(0, 200)}` }
  }
}

socket.on('data', chunk => {
  for (const { header, body } of reader.push(chunk)) {
    const { ok, text } = prepare(Buffer.from(body).toString('utf8'))
    socket.write(encodeFrame({ type: 'prepared', run: header.run, ok }, Buffer.from(text, 'utf8')))
  }
})
socket.on('error', () => process.exit(0))
socket.on('close', () => process.exit(0))
socket.write(encodeFrame({ type: 'ready' }))
