import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { watchRegistry } from './docs/resources.ts'
import { openServer, type Face } from './server.ts'
import {
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server'
import { OgError, messageOf } from '../platform/error.ts'
import { isRecord, jsonText } from '../platform/json.ts'

type StdioOptions = {
  stdin: Readable
  stdout: Writable
  signal: AbortSignal
  /** Receives a line for each unparsable message. */
  warn(line: string): void
}

/**
 * Serves one client over stdin and stdout until stdin ends, the parent process exits or `signal`
 * aborts.
 */
export async function serveOverStdio(face: Face, options: StdioOptions): Promise<void> {
  const { stdin, stdout, signal, warn } = options
  const transport = openStdioTransport({ stdin, stdout })
  const open = async () => {
    const server = await openServer(face)
    const { og } = face
    if (og === null) return server
    const changes = watchRegistry(og, () => void server.sendResourceListChanged())
    server.onclose = () => changes[Symbol.dispose]()
    return server
  }
  const connection = serveStdio(open, { transport, onerror: ({ message }) => warn(message) })
  const end = () => void connection.close()
  using _parent = watchParent(end)
  signal.addEventListener('abort', end, { once: true })
  await transport.closed
}

/**
 * Detects that the parent process was killed. stdin may stay open then, because another process can
 * hold its write end.
 */
function watchParent(end: () => void, everyMs = 100): Disposable {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) end()
  }, everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** `closed` resolves when either side ends the connection, and rejects if stdout fails. */
type StdioTransport = Transport & { closed: Promise<void> }

/** A request with this method is never answered while the connection is open. */
const endlessMethod = 'subscriptions/listen'

/**
 * MCP over two streams, with one JSON message per line. The SDK's transport closes the connection
 * if a message exceeds its limit, ignores invalid JSON and does not support batches. This transport
 * answers all of them and stays open.
 *
 * After stdin ends, pending requests are still answered for at most `graceMs`, because a script may
 * write its requests, close stdin and then read. To stop the server earlier, a client sends a
 * signal. If the client is gone, writing to stdout fails.
 */
export function openStdioTransport(
  { stdin, stdout }: { stdin: Readable; stdout: Writable },
  { maxBytes = 4 * 2 ** 20, graceMs = 60_000 } = {},
): StdioTransport {
  const { promise: closed, resolve: settleClosed, reject: fail } = Promise.withResolvers<void>()
  const pendingIds = new Set<RequestId>()
  let isEnded = false
  let isClosed = false
  let graceTimer: Timer | undefined

  function receive(message: JSONRPCMessage): void {
    const isCall = 'method' in message && 'id' in message
    if (isCall && message.method !== endlessMethod) pendingIds.add(message.id)
    // A cancelled call gets no answer.
    if ('method' in message && message.method === 'notifications/cancelled') {
      settle(message.params?.requestId as RequestId | undefined)
    }
    transport.onmessage?.(message)
  }

  function refuse({ id, error }: Refusal): void {
    transport.onerror?.(new Error(error.message))
    void write({ jsonrpc: '2.0', id, error })
  }

  const write = (message: object) => writeMessage(stdout, message).catch(fail)

  function settle(id: RequestId | undefined): void {
    if (id !== undefined) pendingIds.delete(id)
    if (isEnded && pendingIds.size === 0) void transport.close()
  }

  function end(): void {
    if (isEnded) return
    isEnded = true
    if (pendingIds.size === 0) void transport.close()
    else graceTimer = setTimeout(() => void transport.close(), graceMs)
  }

  const onLine = (line: string) => {
    for (const incoming of parseLine(line)) {
      if ('message' in incoming) receive(incoming.message)
      else refuse(incoming.refusal)
    }
  }
  const onTooLong = (head: string, tail: string) => refuse(lineTooLong(head, tail, maxBytes))
  const transport: StdioTransport = {
    closed,
    async start() {
      stdin.on('data', splitLines(maxBytes, { onLine, onTooLong }))
      for (const event of ['end', 'close', 'error']) stdin.on(event, end)
    },
    async send(message) {
      if (isClosed) return
      await write(message)
      if (!('method' in message)) settle(message.id)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      clearTimeout(graceTimer)
      stdin.pause()
      transport.onclose?.()
      settleClosed()
    },
  }
  return transport
}

function writeMessage(stdout: Writable, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(jsonText(message, 0), (error) => {
      if (error) reject(new OgError(`Cannot write to stdout: ${error.message}`, { cause: error }))
      else resolve()
    })
  })
}

type LineSink = {
  onLine(line: string): void
  /** Receives the start and end of a line that is too long. */
  onTooLong(head: string, tail: string): void
}

/** Number of bytes kept from each end of a line that is too long. */
const keptBytes = 256

/** Splits bytes at line feeds. Keeps only both ends of a line above `maxBytes`. */
export function splitLines(
  maxBytes: number,
  { onLine, onTooLong }: LineSink,
): (bytes: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let head: string | null = null
  const take = (part: Buffer) => {
    parts.push(part)
    size += part.length
    if (size <= maxBytes && head === null) return
    const all = Buffer.concat(parts)
    head ??= all.toString('utf8', 0, keptBytes)
    // A view would keep the buffer of the whole line in memory.
    parts = [Buffer.from(all.subarray(-keptBytes))]
  }
  const finish = () => {
    const line = Buffer.concat(parts).toString('utf8')
    if (head === null) onLine(line)
    else onTooLong(head, line)
    parts = []
    size = 0
    head = null
  }
  return (bytes) => {
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      take(bytes.subarray(from, at))
      finish()
      from = at + 1
    }
    if (from < bytes.length) take(bytes.subarray(from))
  }
}

/** A valid message, or the error that answers an invalid one. */
type Incoming = { message: JSONRPCMessage } | { refusal: Refusal }

type Refusal = { id: RequestId | null; error: { code: number; message: string } }

/** Parses a line into one message, or into several for a batch (protocol revision 2025-03-26). */
export function parseLine(line: string): Incoming[] {
  const text = line.replace(/^\ufeff/, '')
  if (text.trim() === '') return []
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const message = `Parse error: ${messageOf(error)}`
    return [{ refusal: { id: null, error: { code: -32_700, message } } }]
  }
  return (Array.isArray(parsed) && parsed.length > 0 ? parsed : [parsed]).map(parseMessage)
}

/** Returns the error for a line that is too long, from its start and end. */
export function lineTooLong(head: string, tail: string, maxBytes: number): Refusal {
  const message = `Message too large: more than ${maxBytes} bytes`
  return { id: outerId(head, tail), error: { code: -32_600, message } }
}

function parseMessage(parsed: unknown): Incoming {
  try {
    return { message: parseJSONRPCMessage(withoutNullParams(parsed)) }
  } catch {
    const message = 'Invalid request: not a JSON-RPC 2.0 message'
    return { refusal: { id: idOf(parsed), error: { code: -32_600, message } } }
  }
}

/**
 * Some clients send `"params": null` or `"arguments": null` where the protocol requires that the
 * field be left out.
 */
function withoutNullParams(message: unknown): unknown {
  if (!isRecord(message)) return message
  const { params, ...rest } = message
  if (params === null) return rest
  if (!isRecord(params) || params.arguments !== null) return message
  const { arguments: _, ...others } = params
  return { ...rest, params: others }
}

function idOf(message: unknown): RequestId | null {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

const id = String.raw`"id"\s*:\s*(\d{1,15}|"[^"\\]{1,80}")`
const idFirst = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${id}\s*,`)
const idLast = new RegExp(String.raw`,\s*${id}\s*\}\s*$`)

/**
 * Returns the message's id if it is certainly a field of the outermost object: at the very start or
 * very end.
 */
function outerId(head: string, tail: string): RequestId | null {
  const id = (idFirst.exec(head) ?? idLast.exec(tail))?.[1]
  return id === undefined ? null : JSON.parse(id)
}
