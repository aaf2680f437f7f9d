import { asciidocShapes } from './shapes/asciidoc.ts'
import { filled, type Shapes } from './shapes/filled.ts'
import { htmlShapes } from './shapes/html.ts'
import { markdownShapes } from './shapes/markdown.ts'
import { mdxShapes } from './shapes/mdx.ts'
import { notebookShapes } from './shapes/notebook.ts'
import { podShapes, rdShapes } from './shapes/package-help.ts'
import { rstShapes } from './shapes/rst.ts'
import { manShapes, textShapes } from './shapes/text.ts'

/** A page of any size that repeats one construct, which a slow parser might search forever. */
export type Shape = { name: string; extension: string; page(size: number): string }

export const shapes: readonly Shape[] = [
  ...named('md', markdownShapes),
  ...named('mdx', mdxShapes),
  ...named('ipynb', notebookShapes),
  ...named('html', htmlShapes),
  ...named('rst', rstShapes),
  ...named('adoc', asciidocShapes),
  ...named('txt', textShapes),
  ...named('1', manShapes),
  ...named('Rd', rdShapes),
  ...named('pod', podShapes),
]

/** `extension` has no dot. The name contains it, so that names are unique. */
function named(extension: string, table: Shapes): Shape[] {
  return Object.entries(table).map(([name, shape]) => ({
    name: `${extension} ${name}`,
    extension,
    page(size) {
      if (typeof shape === 'function') return shape(size)
      const [before, unit, after] = shape
      return before + filled(unit, size) + after
    },
  }))
}
