import type { ApiSymbol } from './symbol.ts'

/** The documentation of overloads: the signatures to which each text belongs. */
export type OverloadTexts = Map<string, string[]>

export function addOverloadText(
  texts: OverloadTexts,
  { name, signature, documentation }: ApiSymbol,
): void {
  if (documentation === '') return
  const start = signature.indexOf(`${name}(`)
  const end = signature.lastIndexOf(')')
  const head = start < 0 || end < start ? name : signature.slice(start, end + 1)
  const heads = texts.get(documentation)
  if (heads === undefined) texts.set(documentation, [head])
  else heads.push(head)
}

/** The first text, which describes the symbol, and each other text below its signatures. */
export function joinOverloadTexts(texts: OverloadTexts): string {
  const parts = [...texts].map(([text, heads], at) =>
    at === 0 ? text : `${heads.map((head) => `**\`${head}\`**`).join(', ')}\n\n${text}`,
  )
  return parts.join('\n\n')
}
