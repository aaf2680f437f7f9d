import { version } from '../../../package.json'
import type { HostLookup } from '../../platform/web/address-rule.ts'
import { abortableSleep, type Sleep, openJobLimiter } from '../../platform/concurrency.ts'
import { NetworkError, printableUrl } from '../../platform/web/http.ts'
import type { Reach } from '../../platform/reach.ts'
import { openWeb, type HttpResponse, type Web, type WebRequest } from '../../platform/web/web.ts'
import { decodePercent } from '../page-address.ts'
import { isOnSite } from './page-filter.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { parseRobots, type RobotsRules } from './robots-rules.ts'

/** The robots rules of hosts (RFC 9309). A host's rules are read once, before its first page. */
export type Robots = {
  /** @throws OgError if the rules cannot be read, because then nothing may be fetched */
  isAllowed(url: URL): Promise<boolean>
  delayMs(url: URL): Promise<number>
  sitemaps(url: URL): Promise<string[]>
}

/** og's user agent name in a robots.txt. */
const robotName = 'og'

export function openRobots(web: Web, request: WebRequest): Robots {
  const hosts = new Map<string, Promise<RobotsRules>>()
  const rules = ({ origin }: URL) =>
    hosts.getOrInsertComputed(origin, () => readRules(web, `${origin}/robots.txt`, request))
  return {
    isAllowed: async (url) => (await rules(url)).isAllowed(url.pathname + url.search),
    async sitemaps(url) {
      const lines = (await rules(url)).sitemaps.filter((text) => URL.canParse(text, url.origin))
      return [...new Set(lines.map((text) => new URL(text, url.origin).href))]
    },
    async delayMs(url) {
      const seconds = (await rules(url)).crawlDelay ?? 0
      return seconds > 0 ? Math.min(seconds, maxDelaySeconds) * 1000 : 0
    },
  }
}

/** The longest Crawl-delay that og obeys. A delay of hours amounts to a refusal. */
const maxDelaySeconds = 60
/** RFC 9309 §2.5 requires a robot to read a file up to this size. The rest is ignored. */
const maxBytes = 500 * 1024

async function readRules(web: Web, url: string, request: WebRequest): Promise<RobotsRules> {
  return web.fetch(url, request, async (answer) => {
    const { status } = answer
    // §2.3.1: a missing file allows everything, and a failing server allows nothing.
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
    hint: 'og fetches no page of a site before it has read the robots.txt',
  })
}

export type Crawler = {
  sites: URL[] | null
  limits: CrawlLimits
  signal: AbortSignal | undefined
  /**
   * Requests a URL in the queue of its host. Throws for the statuses 429 and 5xx. `read` receives
   * all others.
   * @throws NetworkError, OgError with a one-line reason
   */
  fetch<T>(
    url: string,
    request: { headers?: Record<string, string>; isNamed?: boolean },
    read: (answer: HttpResponse) => Promise<T>,
  ): Promise<T>
  isAllowed(url: URL): Promise<boolean>
  sitemaps(url: URL): Promise<string[]>
}

type CrawlLimits = {
  lanes: number
  pageBytes: number
  pageTimeoutMs: number
  listTimeoutMs: number
  listBytes: number
  maxPages: number
  maxFollowed: number
  maxListed: number
  maxLists: number
  totalMs: number
}

export type CrawlOptions = {
  signal?: AbortSignal
  limits?: Partial<CrawlLimits>
  reach?: Reach | null
  /** The network. Tests replace this field and those below. */
  lookup?: HostLookup
  sleep?: Sleep
  silenceMs?: number
  backoffMs?: number
}

const usual: CrawlLimits = {
  lanes: 8,
  pageBytes: 8 * 2 ** 20,
  pageTimeoutMs: 60_000,
  listTimeoutMs: 600_000,
  listBytes: 128 * 2 ** 20,
  maxPages: 50_000,
  maxFollowed: 2000,
  maxListed: 500_000,
  maxLists: 1000,
  totalMs: 6 * 3_600_000,
}

const userAgent = `${robotName}/${version} (documentation search on its user's machine)`

/** @param root the entered URL; if a person entered it, its host may be in any network */
export async function openCrawler(root: string, options: CrawlOptions): Promise<Crawler> {
  const { signal, sleep, lookup, silenceMs: timeoutMs, backoffMs, reach } = options
  const limits = { ...usual, ...options.limits }
  const web = openWeb({ userAgent, lookup, timeoutMs, backoffMs, reach })
  await web.trust(root)
  const headers = authorization(new URL(root))
  const robots = openRobots(web, { sleep, signal, headers })
  const gates = new Map<string, Promise<HostGate>>()
  const gate = (url: URL, isNamed: boolean) => {
    const open = async () => {
      const delayMs = isNamed ? 0 : await robots.delayMs(url)
      return openHostGate({ lanes: limits.lanes, delayMs, sleep: sleep ?? abortableSleep, signal })
    }
    const key = isNamed ? `${url.host} named` : url.host
    return gates.getOrInsertComputed(key, open)
  }
  const crawler: Crawler = {
    sites: null,
    limits,
    signal,
    isAllowed: (url) => robots.isAllowed(url),
    sitemaps: (url) => robots.sitemaps(url),
    async fetch(address, { headers: own, isNamed = false }, read) {
      const url = withoutUser(new URL(address))
      const mayFollow = async (next: URL) => {
        if (crawler.sites !== null && !isOnSite(next, crawler.sites)) return false
        return isNamed || (await robots.isAllowed(next))
      }
      const turns = await gate(url, isNamed)
      return turns.run(({ sleep, close }) => {
        const request = {
          sleep,
          signal,
          mayFollow,
          attempts: 3,
          headers: (at: URL) => ({ ...headers(at), ...own }),
        }
        return web.fetch(url.href, request, async (answer) => {
          refuseFault(answer, close)
          return read(answer)
        })
      })
    },
  }
  return crawler
}

export function reasonWithoutUrl(message: string): string {
  return message.replace(/^Cannot (?:fetch|read|reach) (?:(?:page|sitemap) )?"[^"]*": /, '')
}

export function withoutUser(url: URL): URL {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain
}

export function basicAuthorization({ username, password }: URL): string | null {
  if (username === '') return null
  const pair = `${decodePercent(username)}:${decodePercent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** Returns the header with the credentials in the entered URL, only for the URL's origin. */
function authorization(root: URL): (url: URL) => Record<string, string> {
  const value = basicAuthorization(root)
  return ({ origin }) => {
    const headers: Record<string, string> = {}
    if (origin === root.origin && value !== null) headers.authorization = value
    return headers
  }
}

/** Throws for 429 and 5xx, because such a page must not count as deleted. */
function refuseFault(
  { status, headers, url }: HttpResponse,
  close: (reason: string) => void,
): void {
  if (status !== 429 && status < 500) return
  const after = headers.get('retry-after') ?? ''
  const reason = `server answered ${status}`
  // The crawler has already waited for shorter pauses, so only this page fails.
  const isLong = Number(after) > 60 || Date.parse(after) - Date.now() > 60_000
  if (isLong) close(`${reason} and asks to retry later (Retry-After: ${after})`)
  throw new NetworkError(`Cannot fetch "${printableUrl(url)}": ${reason}`, {
    isTransient: false,
    code: 'unreachable',
  })
}

/**
 * The queue of requests to one host. Limits concurrent requests, keeps the delay that the host
 * requests, and pauses when the host asks for it. Closes a host that fails repeatedly.
 */
type HostGate = { run<T>(job: (turn: HostTurn) => Promise<T>): Promise<T> }

type HostTurn = {
  /** Waits, and delays all other requests, because Retry-After concerns the whole robot. */
  sleep: Sleep
  /** Rejects all further requests to the host. */
  close(reason: string): void
}

type HostGateOptions = {
  lanes: number
  /** Time between the starts of two requests. If it is not 0, only one request runs at a time. */
  delayMs: number
  sleep: Sleep
  signal?: AbortSignal
}

/** Number of consecutive failed requests (each after its retries) that closes a host. */
const maxFailures = 10

export function openHostGate({ lanes, delayMs, sleep, signal }: HostGateOptions): HostGate {
  const turns = openJobLimiter(delayMs > 0 ? 1 : lanes)
  let pause: Promise<void> = Promise.resolve()
  let isFirst = true
  let nFailures = 0
  let closed: string | null = null

  const sleepAndPause: Sleep = async (ms, abort) => {
    const wait = sleep(ms, abort)
    pause = Promise.all([pause, wait.catch(() => {})]).then(() => {})
    await wait
  }
  async function begin(): Promise<void> {
    await pause
    if (delayMs > 0 && !isFirst) await sleep(delayMs, signal)
    isFirst = false
    if (closed !== null) throw new OgError(`not asked: ${closed}`)
  }
  return {
    run: (job) =>
      turns.run(async () => {
        await begin()
        const outcome = job({ sleep: sleepAndPause, close: (reason) => (closed ??= reason) })
        const counted = outcome.then(
          () => {
            nFailures = 0
          },
          (error) => {
            if (!(error instanceof NetworkError)) return
            nFailures++
            const last = messageOf(error)
            const isDead = nFailures >= maxFailures
            if (isDead) closed ??= `${maxFailures} failures in a row, at last: ${last}`
          },
        )
        await counted
        return outcome
      }),
  }
}
