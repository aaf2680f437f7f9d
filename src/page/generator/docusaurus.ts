import type { Generator } from './generator.ts'
import { resolveSubfolder, rootForFileName } from './site-path.ts'

/**
 * Docusaurus: `docusaurus.config.js`. Its configuration is a program; only the paths of folders are
 * read from it. Partials and code are imported as in MDX.
 */
export const docusaurus: Generator = {
  name: 'Docusaurus',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['js', 'ts', 'mjs', 'cjs', 'mts'].map((it) => `docusaurus.config.${it}`),
    ),
  async read({ text, root }) {
    const written = Array.from(
      text.slice(0, textLimit).matchAll(/\bpath\s*:\s*(["'`])([^"'`$\n]{1,200})\1/g),
      ([, , path = '']) => resolveSubfolder(root, path),
    )
    const paths = written.filter((path) => path !== null && path !== '')
    const folders = [...new Set([root, ...paths] as string[])]
    return { folders, bases: [root, ...paths] as string[], partials }
  },
}

/** Longest configuration that is searched, in characters. */
const textLimit = 200_000

/** Files and folders that begin with an underscore are no pages. */
const partials = /(?:^|\/)_[^/]*\.mdx?$|\/_[^/]+\//
