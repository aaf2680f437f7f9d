/** What a robots.txt says to one robot, as RFC 9309 reads it. */
export type RobotsRules = {
  /** `path` with the query, as a URL spells them. */
  isAllowed(path: string): boolean
  /** In seconds; null: nothing is said. */
  crawlDelay: number | null
  /** Addresses of sitemaps, as they are written: they are for all robots. */
  sitemaps: string[]
}

/** The rules of the groups that name the robot, else of those of `*`. */
export function parseRobots(text: string, robot: string): RobotsRules {
  const groups = groupsOf(text, [robot, '*'])
  const { rules, crawlDelay } = groups.get(robot) ?? groups.get('*') ?? newGroup()
  // §2.2.2: the longest rule decides; of two as long the one that allows.
  rules.sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows))
  return {
    isAllowed(path) {
      const plain = upperEscapes(path)
      return rules.find((rule) => rule.matches(plain))?.allows ?? true
    },
    crawlDelay,
    sitemaps: sitemapLines(text),
  }
}

/** §2.2.4 leaves room for it, and sitemaps.org fills it; `Sitemap:` belongs to no group. */
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

/** A group is its robots, then its rules; groups of the same robot are one. */
function groupsOf(text: string, robots: readonly string[]): Map<string, Group> {
  const groups = new Map<string, Group>()
  let named = new Set<string>()
  let isNaming = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [plain] = line.split('#', 1) as [string]
    const colon = plain.indexOf(':')
    const key = plain.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (key === '') continue
    const value = plain.slice(colon + 1).trim()
    if (key === 'user-agent') {
      if (!isNaming) named = new Set()
      const name = value.toLowerCase().split('/', 1)[0]!.trim()
      if (robots.includes(name)) named.add(name)
    }
    isNaming = key === 'user-agent'
    for (const name of named) {
      const group = groups.get(name) ?? newGroup()
      if (note(group, key, value)) groups.set(name, group)
    }
  }
  return groups
}

/** Whether the line was a rule. */
function note(group: Group, key: string, value: string): boolean {
  if (key === 'crawl-delay' && !Number.isNaN(Number(value))) group.crawlDelay = Number(value)
  if ((key === 'allow' || key === 'disallow') && value !== '') {
    group.rules.push(ruleOf(value, key === 'allow'))
  }
  return /^(allow|disallow|crawl-delay)$/.test(key)
}

function ruleOf(typed: string, allows: boolean): Rule {
  const pattern = encoded(typed)
  return { allows, length: pattern.length, matches: (path) => fits(pattern, path) }
}

/**
 * Each part between two stars is taken where it comes first, which leaves most to the next: no way
 * is tried twice, as robots-parser does for each character of each rule.
 */
function fits(pattern: string, path: string): boolean {
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

/** §2.2.2: what a URL cannot hold is compared as a URL spells it. */
function encoded(pattern: string): string {
  return upperEscapes(encodeURI(pattern.toWellFormed()).replaceAll('%25', '%'))
}

function upperEscapes(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())
}
