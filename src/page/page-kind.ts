import { isApiPagePath } from '../api/api-path.ts'

/**
 * The purpose of a page: to look up a name, to learn a task, or to read about changes. An `api`
 * page is generated from source files; a `reference` page has an author.
 */
export const pageKinds = ['reference', 'guide', 'changelog', 'api'] as const
export type PageKind = (typeof pageKinds)[number]

/**
 * Returns the kind of a page by its path and title, which are more reliable than the text. Prefers
 * the innermost path segment that indicates a kind, then the title. The default is a guide.
 */
export function pageKind({ path, title }: { path: string; title: string }): PageKind {
  if (isApiPagePath(path)) return 'api'
  const parts = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
  const name = (parts.pop() ?? '').replace(/\.[a-z]{1,8}$/, '')
  if (/^announcing[-_]/.test(name)) return 'changelog'
  for (const part of [name, ...parts.toReversed()]) {
    if (isChangelog(part) || (part !== name && isPosts(part))) return 'changelog'
    if (isReference(part)) return 'reference'
    if (isGuide(part)) return 'guide'
  }
  const plain = title.replace(/^[\d.]+\s+/, '')
  if (changelogTitle.test(plain)) return 'changelog'
  const isReferencePage = isModule.test(path) || referenceTitle.test(plain) || isIdentifier(title)
  return isReferencePage ? 'reference' : 'guide'
}

/** R help files and Perl modules, which contain documentation. */
const isModule = /\.(?:rd|pm)$/i

function isChangelog(part: string): boolean {
  return (
    /^(change[-_]?logs?|changes|history|news|release[-_]?(notes?|history)s?)$/.test(part) ||
    /^(releases|what'?s?[-_]?s?[-_]?new([-_].*)?)$/.test(part) ||
    /^(change[-_]?log|release[-_]?notes?)[-_.]/.test(part)
  )
}

/** Blog posts announce changes, as release notes do. */
function isPosts(part: string): boolean {
  return /^(blogs?|_?posts|announcements?|upcoming[-_]changes)$/.test(part)
}

function isReference(part: string): boolean {
  return (
    /^(references?|refs?|apis?|commands?|operators?|options|glossary)$/.test(part) ||
    /^(spec|specs|specifications?|cli|generated|man\d?)$/.test(part) ||
    /^(_autosummary|autoapi|apidocs?|javadoc|typedoc|rustdoc)$/.test(part) ||
    /^(api|cli|package|config(uration)?)[-_]?(docs?|refs?|references?|options)$/.test(part) ||
    /[-_](api|reference|references|ref|options)$/.test(part) ||
    /^(api|reference)[-_.](?!keys?\b|tokens?\b|access\b|limits?\b)/.test(part)
  )
}

function isGuide(part: string): boolean {
  return (
    /^((user[-_]?)?guides?|how[-_]?tos?|tutorials?|examples?|getting[-_]?started)$/.test(part) ||
    /^(quick[-_]?starts?|learn|cookbook|recipes?|faqs?|concepts?|patterns)$/.test(part)
  )
}

const changelogTitle = /^(change\s?log|release (notes?|history)|what'?s new|(?:news|changes)$)\b/i
const referenceTitle =
  /\b(api|reference|cheat ?sheet|glossary)$|^(api|reference)(:| (of|for|docs)\b)/i

/** True for an identifier such as `db.collection.find()`, `$lookup`, `useEffect` or `--flag`. */
function isIdentifier(title: string): boolean {
  const name = title.trim().replace(/^`|`$/g, '')
  if (!/^[$@<-]{0,2}[\w.:-]+(\(.*\)|>)?$/.test(name)) return false
  return /^[$@<-]|\)$|^[a-z]+[A-Z]|_|\w[.:]+[a-zA-Z]/.test(name) && !/^\w+\.(js|io|py)$/i.test(name)
}

/**
 * True for a planning note, such as a ticket, roadmap or design proposal. Recognizes a note about
 * work on the project by its title, or by several headings and check boxes.
 */
export function isPlan({ title, text }: { title: string; text: string }): boolean {
  if (planTitle.test(title)) return true
  const boxes = (text.match(/^\s*[-*] \[[ xX]\] /gm) ?? []).length
  const marks = new Set([
    ...[...text.matchAll(planHeading)].map(([, name]) => name!.toLowerCase()),
    ...(boxes >= fewestBoxes ? ['boxes'] : []),
    ...(/\bplan$/i.test(title) ? ['title'] : []),
  ])
  return marks.size >= fewestMarks
}

const planTitle = new RegExp(
  String.raw`^(?:\[?(?:ticket|user story|rfc|adr|proposal|design doc)\]?\s*(?:#?\d+\s*)?` +
    String.raw`[:–—]|(?:roadmap|to-?do(?: list)?)$)`,
  'i',
)
const planHeading = new RegExp(
  String.raw`^(?:#{2,4} |\*\*)(acceptance criteria|definition of done|(?:non-)?goals` +
    String.raw`|(?:sub-?)?(?:tickets|tasks)|(?:implementation|delivery|rollout|test) ` +
    String.raw`(?:status|plan|phases|order)|out of scope|open questions|milestones?|risks|phase)\b`,
  'gim',
)
const fewestBoxes = 3
const fewestMarks = 3
