import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { OgError } from '../../platform/error.ts'
import { jsonText } from '../../platform/json.ts'
import { parseLine, refuseLong, type Refusal } from './incoming.ts'
import { splitLines } from './line-splitter.ts'

/** `closed` resolves when either side has ended the connection, and rejects if stdout fails. */
type StdioTransport = Transport & { closed: Promise<void> }

/** This request is answered only when the connection ends. */
const endlessMethod = 'subscriptions/listen'

type Streams = { stdin: Readable; stdout: Writable }

/**
 * MCP over a pair of streams, one JSON message a line. The SDK's own transport closes the
 * connection at a message over its limit, ignores invalid JSON and has no batches. This one answers
 * each of them with an error or a result and stays open.
 *
 * When stdin ends, requests already received are still answered, for at most `graceMs`: a script
 * may write its requests, close stdin and read on. A client that wants to stop the server sooner
 * sends a signal; if the client is gone, the write to stdout fails.
 */
export function openStdioTransport(
  { stdin, stdout }: Streams,
  { maxBytes = 4 * 2 ** 20, graceMs = 60_000 } = {},
): StdioTransport {
  const { promise: closed, resolve: settleClosed, reject: fail } = Promise.withResolvers<void>()
  const pendingIds = new Set<RequestId>()
  let isEnded = false
  let isClosed = false
  let graceTimer: Timer | undefined

  function receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== endlessMethod) pendingIds.add(message.id)
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
  const onTooLong = (head: string, tail: string) => refuse(refuseLong(head, tail, maxBytes))
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
