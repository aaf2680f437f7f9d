import type { Generator } from './generator.ts'
import { linkedPaths } from './nav-order.ts'
import { rootForFileName } from './site-path.ts'

/** Mintlify: `docs.json` or `mint.json`. Partials are in `snippets`. */
export const mintlify: Generator = {
  name: 'Mintlify',
  rootOf: (path) => rootForFileName(path, ['docs.json', 'mint.json']),
  async read({ text, root }) {
    if (!/"\$schema"\s*:\s*"[^"]*mintlify|"navigation"\s*:/.test(text)) return null
    const within = root === '' ? '' : `${root}/`
    return {
      folders: [root],
      bases: [root],
      ...linkedPaths({ text: text.slice(text.indexOf('"navigation"')), folders: [root] }),
      partials: new RegExp(`^${RegExp.escape(within)}snippets/`),
    }
  },
}
