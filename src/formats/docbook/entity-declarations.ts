/** Parses the entities in a DTD or in a file of `<entity>` elements. */
export function parseEntityDeclarations(text: string): Map<string, string> {
  const entities = new Map<string, string>()
  const declaration = /<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)')/g
  for (const [, name, double, single] of text.matchAll(declaration)) {
    entities.set(name!, double ?? single!)
  }
  for (const part of text.split('<entity ').slice(1)) {
    const name = /^name="([\w.:-]+)"[^<>]*>/.exec(part)
    const end = part.indexOf('</entity>')
    if (name !== null && end >= 0) entities.set(name[1]!, part.slice(name[0].length, end))
  }
  return entities
}
