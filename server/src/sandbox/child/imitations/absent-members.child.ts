/** Functions and classes of modules of Node that formulas cannot have, by module. A test compares them with Node's. */
export const absentMembers = {
  child_process: `
    ChildProcess exec execFile execFileSync execSync fork spawn spawnSync`,
  dgram: `
    Socket createSocket`,
  dns: `
    Resolver getDefaultResultOrder getServers lookup lookupService resolve resolve4 resolve6 resolveAny
    resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt
    reverse setDefaultResultOrder setServers`,
  fs: `
    Dir Dirent ReadStream Stats WriteStream chmod chmodSync chown chownSync close closeSync cp cpSync
    fchmod fchmodSync fchown fchownSync fdatasync fdatasyncSync fstat fstatSync fsync fsyncSync
    ftruncate ftruncateSync futimes futimesSync lchown lchownSync link linkSync lutimes lutimesSync
    mkdtemp mkdtempSync open openAsBlob openSync opendir opendirSync read readSync readlink readlinkSync
    readv readvSync statfs statfsSync symlink symlinkSync truncate truncateSync unwatchFile utimes
    utimesSync watch watchFile write writeSync writev writevSync`,
  http: `
    Server ServerResponse createServer setMaxIdleHTTPParsers`,
  http2: `
    Http2ServerRequest Http2ServerResponse connect createSecureServer createServer getDefaultSettings
    getPackedSettings getUnpackedSettings performServerHandshake`,
  module: `
    Module SourceMap findSourceMap register runMain syncBuiltinESMExports`,
  net: `
    BlockList Server Socket SocketAddress Stream connect createConnection createServer
    getDefaultAutoSelectFamily getDefaultAutoSelectFamilyAttemptTimeout setDefaultAutoSelectFamily
    setDefaultAutoSelectFamilyAttemptTimeout`,
  readline: `
    Interface clearLine clearScreenDown createInterface cursorTo emitKeypressEvents moveCursor`,
  tls: `
    SecureContext Server TLSSocket checkServerIdentity connect convertALPNProtocols createSecureContext
    createSecurePair createServer getCiphers`,
  vm: `
    Script compileFunction createContext createScript isContext measureMemory runInContext
    runInNewContext runInThisContext`,
  worker_threads: `
    BroadcastChannel MessageChannel MessagePort Worker markAsUntransferable moveMessagePortToContext
    postMessageToThread receiveMessageOnPort`,
} as const
