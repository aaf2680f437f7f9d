import { decodeEntities } from '../../document/inline.ts'
import { growthLimitFor, type GrowthLimit } from '../../document/growth.ts'
import { referenceKey, type ReferenceTitles } from '../../document/reference-key.ts'

type InlineContext = {
  attributes: ReadonlyMap<string, string>
  growth?: GrowthLimit
  /** Titles for references without text. */
  titles?: ReferenceTitles | undefined
}

/**
 * Converts inline AsciiDoc to Markdown: links, emphasis and attributes. Leaves code in backticks
 * unchanged. Each regular expression takes linear time, because input is untrusted.
 */
export function asciidocInlineToMarkdown(
  line: string,
  { attributes, growth = growthLimitFor(line.length), titles = new Map() }: InlineContext,
): string {
  const quoted = line.replace(/"`([^`\n]+)`"/g, '“$1”').replace(/(?<!\w)'`([^`\n]+)`'/g, '‘$1’')
  const whole = withAttributes(quoted, attributes, growth)
  const titleOf = (key: string) => {
    const title = titles.get(key)
    const text = title?.includes('{') ? withAttributes(title, attributes, growth) : title
    // A title with an attribute of its own page is unknown.
    return text !== undefined && /\{[\w-]+\}/.test(text) ? undefined : text
  }
  // A link's text may contain code, so the line is not split at code spans.
  const spans: string[] = []
  const bare = whole
    .replaceAll('\0', '')
    .replace(/\[[.#%][\w.#%-]{1,100}\](?=[`*_])|(?<![\w\]])\[[a-z][\w.-]{1,100}\](?=\*\S)/g, '')
    .replace(/``[^`]+``|`[^`]+`/g, (span) => `\0${spans.push(literalText(span)) - 1}\0`)
  // `&lt;` must not become `<`, because the result is Markdown.
  const decoded = bare.replace(/&(?!(?:lt|gt|amp);)[#\w]{2,9};/g, decodeEntities)
  return plainText(decoded, { get: titleOf }).replace(
    /\0(\d+)\0/g,
    (_, index: string) => spans[Number(index)] ?? '',
  )
}

type Titles = Pick<ReferenceTitles, 'get'>

/** Replaces `{name}` with the value of a known attribute, and `\\{name}` with `{name}`. */
export function withAttributes(
  line: string,
  attributes: ReadonlyMap<string, string>,
  growth: GrowthLimit,
): string {
  return line.replace(/(\\?)\{([\w-]+)\}/g, (source: string, escape: string, name: string) => {
    if (escape !== '') return source.slice(1)
    const value = attributes.get(name.toLowerCase()) ?? characters.get(name.toLowerCase())
    return value !== undefined && growth.take(value.length) ? value : source
  })
}

const characters = new Map(
  Object.entries({
    nbsp: ' ',
    zwsp: '',
    sp: ' ',
    apos: "'",
    quot: '"',
    lt: '<',
    gt: '>',
    amp: '&',
    empty: '',
    vbar: '|',
    plus: '+',
    asterisk: '*',
    backtick: '`',
    'two-colons': '::',
    startsb: '[',
    endsb: ']',
  }),
)

/** Removes passthrough marks: `` `+a+` ``, `` `+++a+++` `` and `` `pass:[a]` ``. */
function literalText(code: string): string {
  return code
    .replace(/^(`+)(\+{1,3})(.*)\2\1$/s, '$1$3$1')
    .replace(/pass:[a-z,]{0,20}\[([^\]]{0,1000})\]/g, '$1')
}

function plainText(text: string, titles: Titles): string {
  return withoutMacros(text.replace(role, '$1'), titles)
    .replace(/(?<!\+)\+{3}([^+\n]+)\+{3}(?!\+)/g, '$1')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '**$1**')
    .replace(/(?:\[\.[\w.-]{1,100}\])?(?<!\w)#(?=[^\s#])([^#\n]+?)#(?!\w)/g, '$1')
    .replace(/(?<!\()\(\(\((?:[^()\n]{1,300})\)\)\)(?!\))/g, '')
    .replace(/(?<![\w(])\(\(([^()\n]{1,300})\)\)(?!\))/g, '$1')
    .replace(/ \+$/, '  ')
}

/** Matches `[.role]##text##`. Its text can contain a link with a `#`. */
const role = /\[\.[\w.-]{1,100}\]##([^]{0,2000}?)##/g

/** Matches the anchors `[[id]]` and `anchor:id[]`, which are invisible. */
const anchor = /\[\[[^[\]]{0,500}\]\]|anchor:[\w.-]{1,100}\[[^\]]{0,500}\]/g

function withoutMacros(text: string, titles: Titles): string {
  const withLinks = text
    .replace(anchor, '')
    .replace(/<<([^<>,]+)(?:,([^<>]+))?>>/g, (_, id: string, words?: string) =>
      words === undefined
        ? (titles.get(referenceKey('ref', id)) ?? id.replace(/^.*#/s, ''))
        : words.trimStart() || ' ',
    )
  if (!withLinks.includes('[')) return withLinks
  return macros.reduce((label, macro) => replaceMacro(label, macro, titles), withLinks)
}

/**
 * An inline macro, `name:target[text]`. `head` matches the end of the word before the bracket, and
 * `stop` matches characters that cannot be in that word.
 */
type Macro = {
  head: RegExp
  stop: RegExp
  render(target: string, words: string, titles: Titles): string
}

const blank = /[\s[\]]/

const macros: Macro[] = [
  // These two macros can be inside the text of references, so they are replaced first.
  { head: /javadoc:([^]{1,2000})$/, stop: blank, render: javadoc },
  { head: /configprop:([^]{1,2000})$/, stop: blank, render: configurationProperty },
  {
    head: /xref:([^]{1,2000})$/,
    stop: blank,
    render: (target, words, titles) =>
      words ||
      (titles.get(referenceKey('link', target)) ?? target.replace(/^.*[#/:]|\.adoc$/gs, '')),
  },
  // If a link's target starts with an unknown attribute, only its text remains.
  {
    head: /(?:link:)?\{[\w-]{1,100}\}([^]{0,2000})$/,
    stop: blank,
    render: (target, words) => (words === '' ? target.replace(/^.*\//s, '') : link('', words)),
  },
  { head: /(?:link:|(?=https?:\/\/))([^]{1,2000})$/, stop: /[\s[\]<>]/, render: link },
  {
    head: /image:(:?[^]{1,2000})$/,
    stop: blank,
    render: (source, words) => {
      const alt = /^"?([^",=]*)"?(?:,|$)/.exec(words.trimStart())?.[1] ?? ''
      // Sites show the title of a block picture.
      const title = source.startsWith(':') ? titleOf(words) : ''
      return `![${alt}](${source.replace(/^:/, '')})${title === '' ? '' : ` ${title}`}`
    },
  },
  {
    head: /(?:video|audio)::([^]{1,2000})$/,
    stop: blank,
    render: (target, words) => {
      const host = videoHosts[/^\w+/.exec(words)?.[0] ?? '']
      const name = titleOf(words) || (host ? 'Video' : target.replace(/^.*\//s, ''))
      return `[${name}](${host ?? ''}${target})`
    },
  },
  {
    head: /icon:([\w-]{1,100})$/,
    stop: blank,
    // In a table of features, a mark can be the only text in a cell.
    render: (name, words) =>
      titleOf(words) ||
      (/^check/.test(name) ? '✓' : /^(?:times|close|xmark|remove)/.test(name) ? '✗' : ''),
  },
  { head: /(?:kbd|btn|menu|pass|stem):(?:[\w-]*:)?\w*$/, stop: blank, render: (_, words) => words },
  { head: /(?:latex|ascii)math:$/, stop: blank, render: (_, words) => `$${words}$` },
  { head: /indexterm(2?):$/, stop: blank, render: (kind, words) => (kind === '' ? '' : words) },
  {
    head: /footnote:[\w-]*$/,
    stop: blank,
    render: (_, words) => (words.trim() === '' ? '' : ` (${words.trim()})`),
  },
  // A macro of an extension becomes its text, label or target.
  {
    head: /(?<![\w./:@-])(?!mailto:)[a-z]{2,20}:(?::|([\w.-]{1,100}))$/,
    stop: blank,
    render: extension,
  },
]

const videoHosts: Record<string, string> = {
  youtube: 'https://www.youtube.com/watch?v=',
  vimeo: 'https://vimeo.com/',
}

function titleOf(attributes: string): string {
  return /\btitle="?([^",]+)/.exec(attributes)?.[1] ?? ''
}

function extension(target: string, words: string): string {
  const label = /\b(?:label|text|title|name)="?([^",]+)/.exec(words)?.[1]
  if (label !== undefined) return `(${label})`
  const own = words.replace(/\^$/, '').replace(/,?\s*\w+=.*$/, '')
  return own.trim() || target
}

/** Maximum length of a macro's name and target in characters. */
const headLimit = 2010

function replaceMacro(text: string, { head, stop, render }: Macro, titles: Titles): string {
  let out = ''
  let from = 0
  for (let open = text.indexOf('['); open >= 0; open = text.indexOf('[', open + 1)) {
    const match = head.exec(wordBefore(text, open, { from, stop }))
    const close = match ? text.indexOf(']', open + 1) : 0
    if (close < 0) break
    if (!match) continue
    out += text.slice(from, open - match[0].length)
    out += render(match[1] ?? '', text.slice(open + 1, close), titles)
    from = close + 1
    open = close
  }
  return out + text.slice(from)
}

/** Returns the word before the bracket at `end`, which starts at or after `from`. */
function wordBefore(
  text: string,
  end: number,
  { from, stop }: { from: number; stop: RegExp },
): string {
  const first = Math.max(from, end - headLimit)
  let at = end
  while (at > first && !stop.test(text[at - 1]!)) at--
  return text.slice(at, end)
}

/** Converts `javadoc:a.b.Type#run(int)[]` to `` `Type.run(int)` ``, or to the text in brackets. */
function javadoc(target: string, attributes: string): string {
  const words = attributes.replace(/,?\s*\w+=[^,]*/g, '').trim()
  if (words !== '') return words
  const [type = '', member] = target.replace(/^.*\//s, '').split('#')
  const name = type.replace(/^.*?\.(?=[A-Z])/s, '').replaceAll('$', '.')
  const call = member?.replace(/[\w.]+\.(?=\w)/g, '')
  const sign = attributes.includes('format=annotation') ? '@' : ''
  return `\`${sign}${name}${call === undefined ? '' : `.${call}`}\``
}

/** Converts `configprop:server.port[]` to `` `server.port` ``, or to the environment variable. */
function configurationProperty(name: string, attributes: string): string {
  const variable = name.replaceAll('-', '').replaceAll('.', '_').toUpperCase()
  return `\`${attributes.includes('format=envvar') ? variable : name}\``
}

function link(url: string, attributes: string): string {
  const options = /(?:window|role|opts)=/.exec(attributes)
  const words = (
    options
      ? attributes.slice(0, options.index).trimEnd().replace(/,$/, '')
      : attributes.replace(/\^$/, '')
  ).replace(/^"(.*)"$/s, '$1')
  return words === '' || url === '' ? words || url : `[${words}](${url})`
}
