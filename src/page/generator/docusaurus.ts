import type { Generator } from './generator.ts'
import { resolveSubfolder, rootForFileName } from './site-path.ts'

/**
 * Docusaurus: `docusaurus.config.js`. Its configuration is a program, so og reads only the paths of
 * folders in it. Partials and code are imported as in MDX.
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

/** The number of characters of the configuration that are searched. */
const textLimit = 200_000

/** Files and folders whose names begin with an underscore are not pages. */
const partials = /(?:^|\/)_[^/]*\.mdx?$|\/_[^/]+\//
