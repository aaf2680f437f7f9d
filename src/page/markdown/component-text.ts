import { toTitle } from '../../document/block-lines.ts'
import { fenceCode } from '../../document/fence.ts'
import type { JsxTag } from './jsx-tag.ts'

export function isTab({ name }: JsxTag): boolean {
  return tabs.test(ownName(name))
}

/** The name of a component without its namespace: `Tabs.Tab` → `Tab`. */
function ownName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/**
 * The title of the box for a component: a tab, a note, or another component with a title. Null if
 * the component becomes no box. `label` is the name that the enclosing group gives a tab.
 */
export function boxTitle(tag: JsxTag, label = ''): string | null {
  const name = ownName(tag.name)
  const { attributes } = tag
  if (isTab(tag)) {
    const words = oneLine(tabNames.map((key) => attributes.get(key)).find(Boolean) ?? label)
    return words === '' ? null : `${words}:`
  }
  const condition = displayCondition(tag)
  if (condition !== null) return `**${condition}**`
  const kind = kindOf(name, attributes)
  const title = titleOf(attributes) || (kind === null ? '' : toTitle(kind))
  return (kind !== null || titledComponents.test(name)) && title.trim() !== ''
    ? strong(title, attributes.get('href'))
    : null
}

/**
 * The condition under which a site shows the content of a component: Next.js shows `<AppOnly>` to
 * readers who use its App Router. Null if the component has no condition.
 */
export function displayCondition({ name }: JsxTag): string | null {
  const [, audience] = /^([A-Z]\w*)Only$/.exec(ownName(name)) ?? []
  if (audience === undefined) return null
  const words = audience.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return `${/^(?:App|Pages)$/.test(audience) ? `${words} Router` : words} only`
}

/** The tab names that a group of tabs declares: `<Tabs items={['npm', 'pnpm']}>`. */
export function tabLabels({ name, attributes }: JsxTag): string[] {
  return /Tabs$/.test(name) ? (attributes.get('items')?.split('\n') ?? []) : []
}

/**
 * The text of a component's attributes: its title (unless a box shows it), its fields and its code.
 */
export function renderAttributes(tag: JsxTag, isBox: boolean): string {
  const { name, attributes } = tag
  const shown: string[] = []
  const title = titleOf(attributes) || (isTab(tag) ? attributes.get('value') : '')
  if (title && !isBox) shown.push(isTab(tag) ? `${title}:` : strong(title, attributes.get('href')))
  const field = /Field|Param|Prop/.test(name) ? fieldText(attributes) : ''
  if (field !== '') shown.push(field)
  for (const key of texts) if (attributes.get(key)) shown.push(attributes.get(key)!)
  const language = attributes.get('language') ?? attributes.get('lang') ?? ''
  for (const key of codes) {
    const code = attributes.get(key)
    if (code && /\s/.test(code)) shown.push(fenceCode(code, language))
  }
  return shown.join('\n\n')
}

/** A fence that is a tab: the title of its box, and its opening line without that title. */
type CodeTab = { title: string; opening: string }

/**
 * Reads a fence as a tab, or returns null. ```` ```sh tab="npm" ```` is always a tab. In a group, a
 * fence is also a tab if it has a `title`, a `filename` or, as in Mintlify, words after the
 * language.
 */
export function codeTab(line: string, isInGroup: boolean): CodeTab | null {
  const [, fence, language = '', after = ''] =
    /^([^`~]*(?:`{3,}|~{3,}))[ \t]*([^\s`{]*)(.*)$/.exec(line) ?? []
  if (fence === undefined) return null
  const [, key = '', , quoted = ''] = tabLabel.exec(after) ?? []
  const label = key === 'tab' || isInGroup ? quoted || (isInGroup ? wordsOf(after) : '') : ''
  const title = oneLine(label)
  return title === '' ? null : { title: `${title}:`, opening: fence + language }
}

const tabLabel = /(?:^|\s)(title|filename|tab|label)=(["'])([^"']+)["']/

/** Returns the words before the first option: `npm install` for `npm install theme={null}`. */
function wordsOf(after: string): string {
  const [, bracketed] = /^\s*\[([^\]]+)\]/.exec(after) ?? []
  if (bracketed !== undefined) return bracketed
  const words = after.trim().split(/\s+/)
  const end = words.findIndex((word) => /[={}]/.test(word) || flags.has(word))
  return words.slice(0, end < 0 ? words.length : end).join(' ')
}

const flags = new Set(['wrap', 'lines', 'expandable', 'highlight', 'live', 'showLineNumbers'])

const tabs = /^(?:Tab(?:Item|Panel)?|hfoption)$/
const tabNames = ['title', 'label', 'name', 'value', 'id']

const notes = new RegExp(
  '^(?:Note|Tip|Hint|Info|Important|Warning|Caution|Danger|Attention|Error|Success|Check|Example)$',
)
/** Components whose kind is an attribute: `<Callout type="warning">`. */
const callouts = /^(?:Callout|Aside|Admonition|Alert)$/

const titledComponents = new RegExp(
  '^(?:Step|Card|Accordion(?:Item)?|Expandable|Details|Collaps(?:e|ible)|Dropdown' +
    '|DetailedExplanation)$',
)

/** The kind of note of a component; null if it is not a note. */
function kindOf(name: string, attributes: ReadonlyMap<string, string>): string | null {
  if (notes.test(name)) return name
  if (!callouts.test(name)) return null
  const kind = ['type', 'variant', 'kind', 'intent'].map((key) => attributes.get(key)).find(Boolean)
  const note = kind === 'warn' ? 'warning' : (kind?.toLowerCase() ?? '')
  return notes.test(toTitle(note)) ? note : 'note'
}

const titles = ['title', 'label', 'heading', 'question', 'summary', 'header', 'caption']
const texts = ['subtitle', 'description', 'text', 'content', 'alt']
const codes = ['code', 'source', 'snippet', 'template']

function titleOf(attributes: ReadonlyMap<string, string>): string {
  return titles.map((key) => attributes.get(key)).find(Boolean) ?? ''
}

/** The title as `**title**`, linked if the component is a card with a target. */
function strong(title: string, href = ''): string {
  const words = oneLine(title)
  if (/[[\]*]/.test(words)) return words
  return /^[^\s()<>]+$/.test(href) ? `**[${words}](${href})**` : `**${words}**`
}

/** A title is one line, because a tab character at its end would begin another box. */
function oneLine(title: string): string {
  return title.replace(/\s+/g, ' ').trim()
}

/** Converts `<ParamField path="id" type="string">` to `` `id` string ``. */
function fieldText(attributes: ReadonlyMap<string, string>): string {
  const name = ['name', 'path', 'query', 'body', 'param']
    .map((key) => attributes.get(key))
    .find((value) => value)
  if (name === undefined) return ''
  return [`\`${name}\``, attributes.get('type'), attributes.get('default')]
    .filter(Boolean)
    .join(' ')
}
