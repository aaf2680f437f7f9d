import { resolveInFolder } from './site-path.ts'

type NavText = {
  /** A configuration, or a part of it, which may be a program and is never executed. */
  text: string
  /** The folders to which its links are relative. */
  folders: readonly string[]
}

/**
 * The paths, without extension, that the quoted strings of a configuration may mean, in their
 * order: `'/guide/a'` is `guide/a` or `guide/a/index`. Strings that are no links give paths that do
 * not exist.
 */
export function linkedPaths({ text, folders }: NavText): string[] {
  const strings = Array.from(text.slice(0, textLimit).matchAll(quoted), ([, , one = '']) => one)
  return [...new Set(strings)].slice(0, linkLimit).flatMap((written) => {
    if (/^[a-z]+:|^#|\s/i.test(written)) return []
    const name = written.replace(/[?#].*$/, '').replace(/\/$|\.(?:html|mdx?)$/, '')
    const paths = folders.flatMap((folder) => [
      resolveInFolder(folder, name),
      resolveInFolder(folder, `${name}/index`),
    ])
    return paths.filter((path) => path !== null)
  })
}

/** The text from the first word `sidebar` on; '' if there is none. */
export function fromSidebar(text: string): string {
  const at = text.search(/\bsidebars?\b/)
  return at < 0 ? '' : text.slice(at)
}

const quoted = /(["'`])([^"'`$\n]{1,200})\1/g
/** The number of characters of a configuration that are searched. */
const textLimit = 400_000
const linkLimit = 5000
