import robotsParser from 'robots-parser'

/** A robots.txt's rules for one robot, according to RFC 9309. */
export type RobotsRules = {
  isAllowed(path: string): boolean
  crawlDelay: number | null
  sitemaps: string[]
}

const origin = 'https://robots.invalid'

/** Returns the rules in the groups that name the robot or, without any, in the groups for `*`. */
export function parseRobots(text: string, robot: string): RobotsRules {
  const lines = ownLines(normalizeEscapes(text), robot)
  const rules = robotsParser(`${origin}/robots.txt`, lines.join('\n'))
  return {
    isAllowed: (path) => rules.isAllowed(origin + normalizeEscapes(path), robot) ?? true,
    crawlDelay: rules.getCrawlDelay(robot) ?? null,
    sitemaps: sitemapLines(text),
  }
}

/**
 * Returns the lines with a key. The parser adds each rule to every name of its group, so each group
 * names only the robot, `*` and one other, each of them once.
 */
function ownLines(text: string, robot: string): string[] {
  let names = new Set<string>()
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, key = '', value = ''] = /^\s*([^\s:#][^:#]*):([^#]*)/.exec(line) ?? []
    if (key === '') return []
    if (key.trim().toLowerCase() !== 'user-agent') {
      names = new Set()
      return [line]
    }
    const agent = value.toLowerCase().split('/', 1)[0]!.trim()
    const name = agent === robot || agent === '*' ? agent : 'other'
    return names.has(name) ? [] : (names.add(name), [`user-agent: ${name}`])
  })
}

/**
 * Returns the URLs in `Sitemap:` lines. They come from sitemaps.org, are permitted by RFC 9309
 * §2.2.4, and belong to no group.
 */
export function sitemapLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    const url = /^\s*sitemap\s*:\s*(\S+)/i.exec(line.slice(0, 8192))?.[1]
    return url === undefined ? [] : [url]
  })
}

/** Decodes escapes of unreserved characters (RFC 3986 §2.3), and writes all others in capitals. */
function normalizeEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })
}
