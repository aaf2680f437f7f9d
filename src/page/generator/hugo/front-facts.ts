import { fenceCode } from '../../../document/fence.ts'

/**
 * The facts about a command or function that sites show above its page, from its front matter: its
 * syntax, its result, the version that added it and its complexity. '' if it has none.
 */
export function frontFacts(front: ReadonlyMap<string, string>): string {
  const [syntaxOf, ...others] = facts.map(({ label, name }) => {
    const [, value = ''] = [...front].find(([key]) => name.test(key)) ?? []
    return { label, value: value.replaceAll('\u00a0', ' ').trim() }
  })
  // Other pages have a single one of these fields for other purposes.
  const shown = others.filter(({ value }) => value !== '')
  const syntax = syntaxOf!.value
  if (syntax === '') return ''
  const lines = shown.map(({ label, value }) => `- ${label}: ${value.replace(/\s*\n\s*/g, ', ')}`)
  return (
    [`Syntax:`, fenceCode(syntax, ''), lines.join('\n'), ''].filter(Boolean).join('\n\n') + '\n\n'
  )
}

const facts = [
  { label: 'Syntax', name: /^(?:syntax_fmt|syntax)$|\.signatures$/ },
  { label: 'Returns', name: /^params\..*\.returntype$/ },
  { label: 'Aliases', name: /^params\..*\.aliases$/ },
  { label: 'Available since', name: /^since$/ },
  { label: 'Deprecated since', name: /^deprecated_since$/ },
  { label: 'Replaced by', name: /^replaced_by$/ },
  { label: 'Time complexity', name: /^complexity$/ },
]
