/** A symbol on a page of the API reference. */
export type PageSymbol = {
  qualifiedName: string
  /** The signature; empty for a module. */
  signature: string
  /** The deprecation notice, which can be empty; null if the symbol is not deprecated. */
  deprecated: string | null
  aliases?: string[]
  /** Names of members inherited from base classes with their own page. */
  inherited?: string[]
  /** 0-based line on the page. */
  line: number
}

/** Returns the symbols of a page from `apiPages`, in page order. */
export function parsePageSymbols(text: string): PageSymbol[] {
  const symbols: PageSymbol[] = []
  const lines = text.split('\n')
  let fence: string | null = null
  let isListed = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined && (fence === null || line.trim().startsWith(fence))) {
      fence = fence === null ? mark : null
    }
    isListed = line.startsWith('- `') && (isListed || isBelowTitle(lines, at))
    if (fence !== null) continue
    const name = /^#{1,2} `(.+)`$/.exec(line)?.[1]
    const current = symbols.at(-1)
    if (name !== undefined) {
      const signature = signatureAt(lines, at + 2)
      symbols.push({ qualifiedName: name, signature, deprecated: null, line: at + 1 })
    } else if (current !== undefined && /^\*\*Deprecated\*\*/.test(line)) {
      current.deprecated ??= line.replace(/^\*\*Deprecated\*\*:? ?/, '')
    } else if (current !== undefined && /^Also `.*`\.$/.test(line)) {
      current.aliases = (line.match(/`[^`]+`/g) ?? []).map((it) => it.slice(1, -1))
    } else if (current !== undefined && line.startsWith('Inherited from `')) {
      const [, ...names] = line.match(/`[^`]+`/g) ?? []
      current.inherited = [...(current.inherited ?? []), ...names.map((it) => it.slice(1, -1))]
    } else if (current !== undefined && isListed) {
      const code =
        /^- `[^`]+` \(``? ?(.+?) ?``?\)(?:: .*)?$/.exec(line)?.[1] ??
        /^- ``? ?(.+?) ?``?(?:: .*)?$/.exec(line)?.[1] ??
        ''
      const qualifiedName = listedName(line, current.qualifiedName)
      if (qualifiedName === null) continue
      symbols.push({ qualifiedName, signature: code, deprecated: null, line: at + 1 })
      // Replaces the previous value with its scope, because the next value has the same scope.
      symbols.splice(-2, 2, symbols.at(-1)!, current)
    }
  }
  return symbols.sort((a, b) => a.line - b.line)
}

/**
 * Matches the members of other types that an alias lists. They are indexed with their own type
 * only, because otherwise each alias of an options type would be found for each of its options.
 */
export const listedMembers = /^\*\*Members\*\* of .*:\n(?:- .*(?:\n|$))+/gm

/**
 * Returns the qualified name of a list item such as "- `readonly size: number`", "- `A` (`int A`)"
 * or "- `Lamp::A` (`A = 1`)".
 */
export function listedName(line: string, scope: string): string | null {
  const [, words, name] = listedValue.exec(line) ?? []
  if (name === undefined) return null
  // A header file is not a scope.
  if (scope.endsWith('.h') || /::|\\/.test(name)) return name
  const isRust = scope.includes('::') || words!.startsWith('pub ')
  return scope + (isRust ? '::' : '.') + name
}

const modifiers =
  'pub|mut|const|let|var|static|readonly|abstract|declare|public|protected|override|accessor'
const listedValue = new RegExp(
  `^- \`\`? ?((?:(?:${modifiers}) )*)((?:[\\p{L}\\p{N}_$]+(?:::|\\\\))*[\\p{L}\\p{N}_$]+)`,
  'u',
)

/** Returns `c` for `a.b.c`. */
export function lastPart(name: string): string {
  return name.replace(/^.*[.:/#\\](?=.)/, '')
}

/** Normalizes separators: returns `a.b` for `a::b`, `a#b`, `a/b` and `a\b`. */
export function plainName(name: string): string {
  return name.replace(/::|[#/\\]/g, '.')
}

/** Returns `b` for the name `a.b` and the scope `a`; null if the name is not in the scope. */
export function partBelow(name: string, scope: string): string | null {
  const [, part] = name.startsWith(scope)
    ? (/^(?:::|[.#/\\])([^]+)$/.exec(name.slice(scope.length)) ?? [])
    : []
  return part ?? null
}

function signatureAt(lines: string[], start: number): string {
  const mark = /^(`{3,})/.exec(lines[start] ?? '')?.[1]
  if (mark === undefined) return ''
  const end = lines.indexOf(mark, start + 1)
  return end < 0 ? '' : lines.slice(start + 1, end).join('\n')
}

/** True if the title above a list shows that it contains values. */
function isBelowTitle(lines: string[], at: number): boolean {
  return lines[at - 1] === '' && /^\*\*(Attributes|Values)\*\*$/.test(lines[at - 2] ?? '')
}
