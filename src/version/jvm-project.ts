/** The version of a requirement without a range. */
export const anyVersion = '*'

/** Returns the dependencies of a pom.xml; one whose version comes from elsewhere has any. */
export function mavenProject(text: string): (readonly [name: string, version: string])[] {
  if (!/<project[\s>]/.test(text)) throw new Error('it has no project')
  const asides = ['dependencyManagement', 'build', 'profiles']
  const own = asides.reduce(
    (rest, name) => withoutSpans(rest, `<${name}>`, `</${name}>`),
    withoutSpans(text, '<!--', '-->'),
  )
  const properties = new Map(
    Array.from(own.matchAll(/<([\w.-]+)>([^<>]*)<\/\1>/g), ([, name, value]) => [name!, value!]),
  )
  const blocks = own.split('<dependency>').slice(1)
  return blocks.map((block) => {
    const field = (name: string) =>
      new RegExp(`<${name}>\\s*([^<>\\s]+)\\s*</${name}>`).exec(block)?.[1] ?? ''
    const written = field('version')
    const [, property] = /^\$\{([\w.-]+)\}$/.exec(written) ?? []
    const version = property === undefined ? written : (properties.get(property) ?? '')
    const isPlain = /^\d/.test(version)
    const name = `${field('groupId')}:${field('artifactId')}`
    return [name, isPlain ? version : anyVersion] as const
  })
}

/** Removes the spans between two marks; a span without an end reaches to the end of the text. */
function withoutSpans(text: string, start: string, end: string): string {
  let kept = ''
  for (let at = 0; ; ) {
    const from = text.indexOf(start, at)
    if (from < 0) return kept + text.slice(at)
    kept += text.slice(at, from)
    const to = text.indexOf(end, from + start.length)
    if (to < 0) return kept
    at = to + end.length
  }
}
