import { notIncluded } from '../include/not-found.ts'
import { closesFence, type Fence } from '../../document/fence.ts'

/** A block of Documenter.jl. If it is not whole, `shown` is only its opening line. */
type DocumenterBlock = { shown: string[]; next: number; isWhole: boolean }

/**
 * Converts a fence of Documenter.jl, such as `@docs`: hidden blocks are removed, names of objects
 * become one line each, and examples become Julia code. Null for any other fence.
 */
export function documenterFence(
  lines: readonly string[],
  at: number,
  fence: Fence,
): DocumenterBlock | null {
  const [, marks = '', kind = ''] =
    /^(\s*(?:`{3,}|~{3,}))(@[a-z]+|jldoctest)(?![\w-])/.exec(lines[at] ?? '') ?? []
  if (
    !/^(?:@(?:docs|autodocs|meta|setup|index|contents|raw|eval|example|repl)|jldoctest)$/.test(kind)
  )
    return null
  let next = at + 1
  while (next < lines.length && !closesFence(fence, lines[next] ?? '')) next++
  if (/^(?:@example|@repl|jldoctest)$/.test(kind)) {
    const isHidden = (it: string) => kind !== 'jldoctest' && isHiddenLine(it)
    const isVisible = lines.slice(at + 1, next).some((it) => it.trim() !== '' && !isHidden(it))
    if (isVisible) return { shown: [`${marks}julia`], next: at + 1, isWhole: false }
  }
  const names = lines.slice(at + 1, next).filter((line) => kind === '@docs' && line.trim() !== '')
  const shown = names.map((name) => `- \`${name.trim()}\` ${notIncluded}`)
  return { shown, next: next + 1, isWhole: true }
}

/** Whether Documenter.jl runs a line of an example without showing it. */
export function isHiddenLine(line: string): boolean {
  return line.includes('hide') && /#[ \t]*hide[ \t]*$/.test(line)
}

/** Converts `[text](@ref name)` and `# [Title](@id name)` to their text. */
export function withoutDocumenterLinks(line: string): string {
  if (!line.includes('](@')) return line
  return line.replace(
    /\[((?:[^[\]]|\[[^[\]]{0,80}\]){1,300})\]\(@(?:ref|id)(?: [^()\n]{1,300})?\)/g,
    '$1',
  )
}
