/** The rules of a robots.txt for one robot, according to RFC 9309. */
export type RobotsRules = {
  isAllowed(path: string): boolean
  crawlDelay: number | null
  sitemaps: string[]
}

/** The rules of the groups that name the robot, otherwise of the groups for `*`. */
export function parseRobots(text: string, robot: string): RobotsRules {
  const groups = groupsOf(text, [robot, '*'])
  const { rules, crawlDelay } = groups.get(robot) ?? groups.get('*') ?? newGroup()
  // §2.2.2: the longest matching rule decides; of two equally long rules, the allowing one.
  rules.sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows))
  return {
    isAllowed(path) {
      const plain = normalizeEscapes(path)
      return rules.find((rule) => rule.matches(plain))?.allows ?? true
    },
    crawlDelay,
    sitemaps: sitemapLines(text),
  }
}

/**
 * The URLs of `Sitemap:` lines. They come from sitemaps.org, are permitted by RFC 9309 §2.2.4, and
 * belong to no group.
 */
export function sitemapLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    const url = /^\s*sitemap\s*:\s*(\S+)/i.exec(line.slice(0, 8192))?.[1]
    return url === undefined ? [] : [url]
  })
}

type Rule = { allows: boolean; length: number; matches(path: string): boolean }
type Group = { rules: Rule[]; crawlDelay: number | null }

function newGroup(): Group {
  return { rules: [], crawlDelay: null }
}

/**
 * The groups of `robots`: a group consists of user agents, then rules. Groups for the same robot
 * are merged.
 */
function groupsOf(text: string, robots: readonly string[]): Map<string, Group> {
  const groups = new Map<string, Group>()
  let groupRobots = new Set<string>()
  let isNaming = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [plain] = line.split('#', 1) as [string]
    const colon = plain.indexOf(':')
    const key = plain.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (key === '') continue
    const value = plain.slice(colon + 1).trim()
    if (key === 'user-agent') {
      if (!isNaming) groupRobots = new Set()
      const name = value.toLowerCase().split('/', 1)[0]!.trim()
      if (robots.includes(name)) groupRobots.add(name)
    }
    isNaming = key === 'user-agent'
    for (const name of groupRobots) {
      const group = groups.get(name) ?? newGroup()
      if (note(group, key, value)) groups.set(name, group)
    }
  }
  return groups
}

function note(group: Group, key: string, value: string): boolean {
  if (key === 'crawl-delay' && !Number.isNaN(Number(value))) group.crawlDelay = Number(value)
  if ((key === 'allow' || key === 'disallow') && value !== '') {
    group.rules.push(ruleOf(value, key === 'allow'))
  }
  return /^(allow|disallow|crawl-delay)$/.test(key)
}

function ruleOf(path: string, allows: boolean): Rule {
  const pattern = percentEncode(path)
  return { allows, length: pattern.length, matches: (path) => matchesPattern(pattern, path) }
}

/**
 * Whether a path matches a pattern with `*` and a final `$`. Each part between two stars is matched
 * at its first occurrence, which leaves the most text for the next part, so no backtracking is
 * needed.
 */
function matchesPattern(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first, ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*') as [string]
  if (!path.startsWith(first)) return false
  if (parts.length === 0) return !isWhole || path.length === first.length
  const last = isWhole ? (parts as string[]).pop()! : ''
  let at = first.length
  for (const part of parts as string[]) {
    const start = path.indexOf(part, at)
    if (start < 0) return false
    at = start + part.length
  }
  return path.endsWith(last) && path.length - last.length >= at
}

/** A pattern, percent-encoded like a URL for comparison (§2.2.2). */
function percentEncode(pattern: string): string {
  return normalizeEscapes(encodeURI(pattern.toWellFormed()).replaceAll('%25', '%'))
}

/** Decodes escapes of unreserved characters (RFC 3986 §2.3), and writes all others in capitals. */
function normalizeEscapes(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })
}
