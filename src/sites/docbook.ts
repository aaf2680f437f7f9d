import { parseEntityDeclarations } from '../formats/docbook/entity-declarations.ts'
import type { Generator } from './generator.ts'
import { parentFolder, resolveInFolder } from './site-path.ts'

/** Files with entities of the PHP manual. */
const entityFiles = ['title', 'php', 'acronyms', 'extcat', 'url'].map(
  (name) => `entities/entities.${name}.ent`,
)

/** A DocBook book with a file of entities, `*.ent` or `*.ent.in`. */
export const docbook: Generator = {
  name: 'DocBook',
  rootOf: (path) => (/\.ent(?:\.in)?$/.test(path) ? parentFolder(path) : null),
  async read({ text, root }, read) {
    const variables = parseEntityDeclarations(text)
    for (const file of entityFiles) {
      const path = resolveInFolder(root, file)
      const other = path === null ? null : await read(path)
      if (other === null) continue
      for (const [name, value] of parseEntityDeclarations(other)) variables.set(name, value)
    }
    return variables.size === 0 ? null : { variables }
  },
}
