/**
 * Removes `ifdef` and `ifndef` blocks with a false condition. The build can set attributes that og
 * cannot read, so a block that needs an unknown attribute stays. It is removed if the text has an
 * alternative for its absence, or if the attribute names a different output format.
 */
export function withoutFalseBranches(
  lines: readonly string[],
  attributes: ReadonlyMap<string, string>,
): readonly string[] {
  if (!lines.some((line) => directive.test(line))) return lines
  const names = lines.map((line) => /^ifndef::([^\s[\]]+)\[/.exec(line)?.[1] ?? '')
  const known = new Set([...attributes.keys(), ...htmlAttributes])
  const state: Conditions = { known, alternatives: new Set(names), open: [] }
  return lines.flatMap((line) => shownLine(line, state))
}

type Conditions = {
  known: Set<string>
  /** Attributes with an alternative block for their absence. */
  alternatives: ReadonlySet<string>
  /** For each open block, outermost first, true if its content is visible. */
  open: boolean[]
}

const directive = /^(ifn?def|ifeval|endif)::([^\s[\]]*)\[(.*)\]\s*$/

/** Attributes that are set for every HTML page. */
const htmlAttributes = ['asciidoctor', 'backend-html5', 'basebackend-html', 'site-gen-antora']
const otherOutput = /^(?:env|backend|basebackend|doctype)-/

/** Returns the line unless it is in a false block. A directive is replaced with the text in it. */
function shownLine(line: string, state: Conditions): string[] {
  const { known, open } = state
  const isShown = open.at(-1) ?? true
  const [, kind, names = '', content = ''] = directive.exec(line) ?? []
  if (kind === undefined) {
    const [, unset, name = ''] = /^:(!?)([\w-]+)!?:(?:\s|$)/.exec(line) ?? []
    if (isShown && unset === '') known.add(name.toLowerCase())
    return isShown ? [line] : []
  }
  if (kind === 'endif') {
    open.pop()
    return []
  }
  const isTrue = kind === 'ifeval' || isConditionTrue(kind === 'ifdef', names, state)
  if (kind !== 'ifeval' && content !== '') return isShown && isTrue ? [content] : []
  if (open.length < blockLimit) open.push(isShown && isTrue)
  return []
}

const blockLimit = 1000

function isConditionTrue(isDefined: boolean, names: string, state: Conditions): boolean {
  const list = names.toLowerCase().split(/[,+]/)
  const each = list.map((name) => {
    if (!isDefined) return !state.known.has(name)
    const isElsewhere = state.alternatives.has(name) || otherOutput.test(name)
    return state.known.has(name) || !isElsewhere
  })
  // `ifdef::a,b[]` needs one of the attributes, and `ifndef::a,b[]` none of them.
  const needsAll = names.includes('+') || !isDefined
  return needsAll ? each.every((it) => it) : each.some((it) => it)
}
