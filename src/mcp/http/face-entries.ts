import { createMcpHandler } from '@modelcontextprotocol/server'
import { watchLibraries } from '../docs/changes.ts'
import { openServer, type Face } from '../server.ts'
import { whenSent } from './when-sent.ts'

/** What answers the MCP requests of each face. */
export type FaceEntries = {
  /** `clientId`: the name of the key that the request comes with. */
  fetch(face: Face, request: Request, clientId: string | null): Promise<Response>
  close(): Promise<void>
}

/**
 * The SDK's handler of each face, opened by its first request. Of more than `mostEntries` handlers,
 * the one that was not asked for longest is closed, and with it its streams of changes.
 */
export function openEntries({
  bodyBytes,
  warn,
}: {
  bodyBytes: number
  warn(line: string): void
}): FaceEntries {
  const entries = new Map<Face, ReturnType<typeof open>>()
  function open(face: Face) {
    const entry = createMcpHandler(() => openServer(face), {
      maxRequestBodySize: bodyBytes,
      onerror: ({ message }) => warn(message),
    })
    const changes = face.og && watchLibraries(face.og, () => entry.notify.resourcesChanged())
    const close = async () => {
      changes?.[Symbol.dispose]()
      await entry.close()
    }
    return { entry, close, calls: 0 }
  }
  function closeOldest(): void {
    for (const [face, one] of entries) {
      if (entries.size <= mostEntries) return
      if (one.calls > 0) continue
      entries.delete(face)
      void one.close()
    }
  }
  return {
    async fetch(face, request, clientId) {
      const opened = entries.get(face) ?? open(face)
      // The last of the map is the one that was asked last.
      entries.delete(face)
      entries.set(face, opened)
      opened.calls++
      closeOldest()
      const end = () => void opened.calls--
      const authInfo = clientId === null ? {} : { authInfo: { token: '', clientId, scopes: [] } }
      const answer = await opened.entry.fetch(request, authInfo).catch((error) => {
        end()
        throw error
      })
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
      // A stream of changes has no end of its own: it ends with the entry.
      if (isStream && !isListening(request)) return whenSent(answer, end)
      end()
      return answer
    },
    async close() {
      for (const { close } of entries.values()) await close()
    },
  }
}

/** Each looks at the registry every two seconds. */
const mostEntries = 200

/**
 * A request that also ends when one of `ends` aborts, where it asks for a stream of changes: such a
 * stream has no end of its own. Any other request stays as it is.
 */
export function listening(request: Request, ends: readonly AbortSignal[]): Request {
  if (!isListening(request)) return request
  return new Request(request, { signal: AbortSignal.any([request.signal, ...ends]) })
}

function isListening({ headers }: Request): boolean {
  return headers.get('mcp-method') === 'subscriptions/listen'
}
