import { OgError } from '../../platform/error.ts'
import type { Web, WebRequest } from '../../platform/web/web.ts'
import { parseRobots, type RobotsRules } from './robots-rules.ts'

/** The robots rules of hosts (RFC 9309). Each is read once, before the first page of its host. */
export type Robots = {
  /** @throws OgError if the rules cannot be read, because then nothing may be fetched. */
  isAllowed(url: URL): Promise<boolean>
  /** The pause that the host asks for between two pages; 0 if it asks for none. */
  delayMs(url: URL): Promise<number>
  /** The sitemaps in the host's robots.txt, absolute, without duplicates. */
  sitemaps(url: URL): Promise<string[]>
}

/** The name of og as a user agent in a robots.txt. */
export const robotName = 'og'

export function openRobots(web: Web, request: WebRequest): Robots {
  const hosts = new Map<string, Promise<RobotsRules>>()
  const rules = ({ origin }: URL) => {
    const rulesOfHost = hosts.get(origin) ?? readRules(web, `${origin}/robots.txt`, request)
    hosts.set(origin, rulesOfHost)
    return rulesOfHost
  }
  return {
    isAllowed: async (url) => (await rules(url)).isAllowed(url.pathname + url.search),
    async sitemaps(url) {
      const lines = (await rules(url)).sitemaps.filter((typed) => URL.canParse(typed, url.origin))
      return [...new Set(lines.map((typed) => new URL(typed, url.origin).href))]
    },
    async delayMs(url) {
      const seconds = (await rules(url)).crawlDelay ?? 0
      return seconds > 0 ? Math.min(seconds, maxDelaySeconds) * 1000 : 0
    },
  }
}

/**
 * The longest Crawl-delay that og obeys. Asking for hours is a refusal, for which `Disallow`
 * exists.
 */
const maxDelaySeconds = 60
/** The size that RFC 9309 §2.5 requires a robot to read. The rest is cut off. */
const maxBytes = 500 * 1024

async function readRules(web: Web, url: string, request: WebRequest): Promise<RobotsRules> {
  return web.fetch(url, request, async (answer) => {
    const { status } = answer
    // §2.3.1: a missing file allows everything; a failing server allows nothing.
    if (status >= 500 || status === 429) throw unknownRules(url, status)
    if (status !== 200) return parseRobots('', robotName)
    const text = await startOf(answer.pieces({ sizeBytes: Infinity, timeoutMs: 30_000 }))
    return parseRobots(text, robotName)
  })
}

async function startOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    chunks.push(piece)
    length += piece.length
    if (length > maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString()
}

function unknownRules(url: string, status: number): OgError {
  return new OgError(`Cannot read "${url}": server answered ${status}`, {
    hint: 'while the rules of a site for robots are unknown, no page of it is fetched',
  })
}
