import { appendLines } from '../../document/block-lines.ts'

type ChangeDirective = { name: string; options: ReadonlyMap<string, string> }

/**
 * Whether a directive belongs to the extension `changelog`, with which SQLAlchemy writes its
 * release notes.
 */
export function isChangelogDirective(name: string): boolean {
  return name === 'change' || name === 'changelog'
}

/**
 * The notes of a version below a heading with its number, or a single note with its tags and
 * tickets. `inner` is the text of the directive's content.
 */
export function renderChangelog({ name, options }: ChangeDirective, inner: string[]): string[] {
  return name === 'change' ? noteText(options, inner) : versionNotes(options, inner)
}

function versionNotes(options: ReadonlyMap<string, string>, inner: string[]): string[] {
  const version = options.get('version') ?? ''
  const released = options.get('released') ?? ''
  const out = version === '' ? [] : ['', version, '-'.repeat(version.length), '']
  if (released !== '') out.push(`Released: ${released}`, '')
  appendLines(out, inner)
  return out
}

function noteText(options: ReadonlyMap<string, string>, inner: string[]): string[] {
  const tags = listOf(options.get('tags')).map((tag) => `[${tag}]`)
  const tickets = listOf(options.get('tickets')).map((ticket) => `#${ticket}`)
  const out = tags.length === 0 ? [''] : ['', `**${tags.join(' ')}**`, '']
  appendLines(out, inner)
  if (tickets.length > 0) out.push('', `References: ${tickets.join(', ')}`, '')
  return out
}

function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
