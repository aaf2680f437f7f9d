/** Elements that only format text. Unknown ones such as `<region>` are placeholders and stay. */
const formatting = new Set(
  (
    'a abbr b blockquote br center code dd del details div dl dt em figcaption figure font h1 h2 ' +
    'h3 h4 h5 h6 hr i iframe img ins kbd li nobr ol p picture pre s small span strike strong sub ' +
    'summary sup table tbody td tfoot th thead tr tt u ul'
  ).split(' '),
)
const markdownMarks: Record<string, string> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  code: '`',
  tt: '`',
  kbd: '`',
}

// Bounded quantifiers avoid rescanning a page full of `<`.
const link = /<a\s[^<>]{0,500}?\bhref=["']([^"'<>]{1,500})["'][^<>]{0,500}>([^<>]{1,500})<\/a>/gi
const abbreviation =
  /<abbr\s[^<>]{0,500}?\btitle=["']([^"'<>]{1,500})["'][^<>]{0,200}>([^<>]{1,200})<\/abbr>/gi
const image = /<img\s[^<>]{0,1000}>/gi
/** A tag after `\` is plain text. */
const tag = /(?<!\\)<\/?([a-z][a-z0-9]*)(?:\s[^<>]{0,1000})?\/?>/gi

/**
 * Replaces HTML in Markdown. Links, images and emphasis become Markdown, an abbreviation is
 * followed by its meaning, and other tags are dropped. Code stays unchanged.
 */
export function htmlToText(text: string): string {
  return text.includes('<') ? replaceProse(text, { sign: '<', replace: plainPart }) : text
}

/**
 * Removes Markdown that tells an agent nothing: targets of links to other sites, definitions of
 * such targets, images, and links without text.
 */
export function dropTargets(text: string): string {
  return text.includes('[') ? replaceProse(text, { sign: '[', replace: withoutTargets }) : text
}

function withoutTargets(prose: string): string {
  return prose
    .replace(/^\s{0,3}\[[^\]\n]{1,200}\]:\s+\S+(?:\s+"[^"\n]*")?\s*$/, '')
    .replace(/!\[([^\]\n]{0,300})\]\([^()\s]{0,500}(?:\s"[^"\n]*")?\)/g, (_, alt: string) =>
      alt.trim().split(/\s+/).length > 3 ? alt : '',
    )
    .replace(/\[\s*\]\([^()\s]{0,500}\)/g, '')
    .replace(/(?<!\\)\[([^\]\n]{1,300})\]\(https?:[^()\s]{1,500}(?:\s"[^"\n]*")?\)/g, '$1')
}

type Replacement = { sign: string; replace: (prose: string) => string }

/** Replaces prose on lines that contain `sign`, except code. Drops lines that become empty. */
function replaceProse(text: string, { sign: mark, replace }: Replacement): string {
  let fence: string | null = null
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const sign = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== null || sign !== undefined || !line.includes(mark)) lines.push(line)
    else {
      const plain = plainLine(line, replace)
      if (plain !== null) lines.push(plain)
      // Merge the blank lines on both sides of a removed line.
      else if (lines.at(-1)?.trim() === '') lines.pop()
    }
    if (fence === null) fence = sign ?? null
    else if (sign?.startsWith(fence)) fence = null
  }
  return lines.join('\n')
}

/** Returns null if the line becomes empty. */
function plainLine(line: string, replace: Replacement['replace']): string | null {
  // Every second part is code between backquotes.
  const parts = line.split(/(`+[^`]*`+)/)
  const plain = parts.map((part, i) => (i % 2 === 1 ? part : replace(part))).join('')
  return plain.trim() === '' ? null : plain
}

function plainPart(text: string): string {
  return text
    .replace(link, (_, target, label) => `[${label}](${target})`)
    .replace(abbreviation, (_, meaning, label) => `${label} (${meaning})`)
    .replace(image, markdownImage)
    .replace(tag, (whole, name: string) => {
      const element = name.toLowerCase()
      if (!formatting.has(element)) return whole
      return element === 'br' ? ' ' : (markdownMarks[element] ?? '')
    })
}

/** Writes an image as Markdown if it has alternative text, and drops it otherwise. */
function markdownImage(element: string): string {
  const of = (name: string) =>
    new RegExp(String.raw`\s${name}=["']([^"']*)["']`, 'i').exec(element)?.[1] ?? ''
  return of('alt') === '' ? '' : `![${of('alt')}](${of('src')})`
}
