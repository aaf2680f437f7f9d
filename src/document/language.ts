import { wordMap } from './word-set.ts'
/** Returns the fence language for a file, which is its extension by default. */
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
