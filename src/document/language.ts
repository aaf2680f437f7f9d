import { wordMap } from './word-set.ts'
/** Returns the language for a fence with a file's content: by default, its extension. */
export function languageOfPath(path: string): string {
  const name = /[^/]*$/.exec(path)?.[0].toLowerCase() ?? ''
  if (/^(?:dockerfile|makefile)$/.test(name)) return name
  const extension = /\.([\w+-]{1,20})$/.exec(name)?.[1] ?? ''
  return languages.get(extension) ?? extension
}

const languages = wordMap(`
  py:python pyi:python rb:ruby rs:rust kt:kotlin cs:csharp sh:bash yml:yaml h:c hpp:cpp cc:cpp
  mjs:js cjs:js mts:ts cts:ts md:markdown txt:text ps1:powershell ex:elixir exs:elixir pl:perl
`)
