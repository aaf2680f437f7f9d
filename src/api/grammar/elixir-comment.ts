import { emptyDocstring } from '../docstring/docstring.ts'
import { dedent, trimBlankLines } from '../docstring/indent.ts'
import { codeWithoutComments } from '../syntax.ts'
import type { Annotation, GrammarRules } from './read-tree.ts'

/** Elixir, which documents declarations in module attributes. */
export const elixirRules: GrammarRules = {
  comment: readAttribute,
  signature: (code) =>
    codeWithoutComments(code)
      .replace(/^def(?:delegate|guard)?\s+/, '')
      .replace(/[\s,]+$/, ''),
  hasOverloads: false,
}

function readAttribute(text: string): Annotation | null {
  const [, name = '', value = ''] = /^@(\w+)\s+([^]*)$/.exec(text) ?? []
  const doc = emptyDocstring()
  const of = name === 'moduledoc' ? ('parent' as const) : ('next' as const)
  if (name === 'spec') return { of, doc, signature: codeWithoutComments(text) }
  if (name === 'impl') return { of, doc, isHidden: true }
  if (name === 'deprecated') doc.deprecated = stringText(value)
  else if (value.trim() === 'false') return { of, doc, isHidden: true }
  else if (/^[~"]/.test(value)) doc.text = withoutPrefixes(stringText(value))
  else doc.since = /\bsince:\s*"([^"\n]{1,40})"/.exec(value)?.[1] ?? null
  return { of, doc }
}

function stringText(literal: string): string {
  const [, sigil = '', mark = '', body = ''] =
    /^(~[sS])?("""|'''|["'([{|/])([^]*?)(?:"""|'''|["')\]}|/])\s*$/.exec(literal.trim()) ?? []
  const lines = mark.length === 1 ? [body] : dedent(body)
  const text = trimBlankLines(lines).join('\n')
  return sigil === '~S' ? text : text.replace(/\\([\\"#'])/g, '$1')
}

/** Links to callbacks, types and tasks have a prefix, such as `c:Repo.insert/2`. */
function withoutPrefixes(text: string): string {
  return text.replace(/`(?:[cetm]|mix):(?=[\w.!?]+(?:\/\d+)?`)/g, '`')
}
