import {
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { messageOf } from '../../platform/error.ts'

/** A valid message, or the error for the sender of an invalid one. */
export type Incoming = { message: JSONRPCMessage } | { refusal: Refusal }

export type Refusal = { id: RequestId | null; error: { code: number; message: string } }

/** Parses a line into one message, or into several for a batch (protocol revision 2025-03-26). */
export function parseLine(line: string): Incoming[] {
  if (line.trim() === '') return []
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch (error) {
    const message = `Parse error: ${messageOf(error)}`
    return [{ refusal: { id: null, error: { code: -32_700, message } } }]
  }
  return (Array.isArray(parsed) ? parsed : [parsed]).map(parseMessage)
}

/** The error for a line that is too long. Only its beginning and end are available. */
export function refuseLong(head: string, tail: string, maxBytes: number): Refusal {
  const message = `Message too large: more than ${maxBytes} bytes`
  return { id: outerId(head, tail), error: { code: -32_600, message } }
}

function parseMessage(parsed: unknown): Incoming {
  try {
    return { message: parseJSONRPCMessage(parsed) }
  } catch {
    const message = 'Invalid request: not a JSON-RPC 2.0 message'
    return { refusal: { id: idOf(parsed), error: { code: -32_600, message } } }
  }
}

function idOf(message: unknown): RequestId | null {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

const id = String.raw`"id"\s*:\s*(\d{1,15}|"[^"\\]{1,80}")`
const idFirst = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${id}\s*,`)
const idLast = new RegExp(String.raw`,\s*${id}\s*\}\s*$`)

/**
 * The message's id, if it is certainly the outermost one: at the very beginning or at the very end.
 */
function outerId(head: string, tail: string): RequestId | null {
  const id = (idFirst.exec(head) ?? idLast.exec(tail))?.[1]
  return id === undefined ? null : JSON.parse(id)
}
