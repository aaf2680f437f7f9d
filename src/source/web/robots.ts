import { OgError } from '../../platform/error.ts'
import type { Web, WebRequest } from '../../platform/web/web.ts'
import { parseRobots, type RobotsRules } from './robots-rules.ts'

/** The rules of hosts for robots (RFC 9309), each read once, before the first page of its host. */
export type Robots = {
  /** @throws OgError where the rules cannot be read, and so nothing may be fetched. */
  isAllowed(url: URL): Promise<boolean>
  /** How long the host wants us to wait between two pages; 0: it says nothing. */
  delayMs(url: URL): Promise<number>
  /** The sitemaps that it names, absolute, each once. */
  sitemaps(url: URL): Promise<string[]>
}

/** The name of og as a user agent in a robots.txt. */
export const robotName = 'og'

export function openRobots(web: Web, request: WebRequest): Robots {
  const hosts = new Map<string, Promise<RobotsRules>>()
  const rules = ({ origin }: URL) => {
    const read = hosts.get(origin) ?? readRules(web, `${origin}/robots.txt`, request)
    hosts.set(origin, read)
    return read
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
 * The longest Crawl-delay that is kept; to ask for hours is to refuse, which `Disallow` says
 * better.
 */
const maxDelaySeconds = 60
/** The size that RFC 9309 §2.5 requires a robot to read; more is cut off. */
const maxBytes = 500 * 1024

async function readRules(web: Web, url: string, request: WebRequest): Promise<RobotsRules> {
  return web.fetch(url, request, async (answer) => {
    const { status } = answer
    // §2.3.1: no such file allows all; a server that fails allows nothing.
    if (status >= 500 || status === 429) throw unknownRules(url, status)
    if (status !== 200) return parseRobots('', robotName)
    const text = await startOf(answer.pieces({ sizeBytes: Infinity, timeoutMs: 30_000 }))
    return parseRobots(text, robotName)
  })
}

async function startOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    kept.push(piece)
    length += piece.length
    if (length > maxBytes) break
  }
  return Buffer.concat(kept).subarray(0, maxBytes).toString()
}

function unknownRules(url: string, status: number): OgError {
  return new OgError(`Cannot read "${url}": server answered ${status}`, {
    hint: 'while the rules of a site for robots are unknown, no page of it is fetched',
  })
}
