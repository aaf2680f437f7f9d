/**
 * Parses a small page of each shape and one ten times as large, and prints the name of the shape
 * and the milliseconds of CPU time for both: `page-cost.ts`.
 */
import { parsePage } from '../../../src/page/parse.ts'
import { asciidocShapes, includeShapes, rstShapes, type Shape } from '../pages/dialect-shapes.ts'
import { usedCpuMs } from '../pages/cpu-time.ts'

const [small, large, rounds] = [10_000, 100_000, 3]

const cost = async (shape: Shape, size: number) => {
  const text = shape.text(size)
  const files = new Map([
    ['docs/digits', '1\n2\n'],
    ['docs/blanks', `${' '.repeat(size)}x\n`],
    ['docs/py', `@b\nclass a:\n${'    x\n'.repeat(size / 6)}`],
  ])
  const bytes = new TextEncoder().encode(text)
  const read = async (path: string) => files.get(path) ?? null
  const before = usedCpuMs()
  await parsePage({ bytes, path: shape.path, url: 'x' }, { from: shape.path, read })
  return usedCpuMs() - before
}

const least = async (shape: Shape, size: number) => {
  const all: number[] = []
  for (let round = 0; round < rounds; round++) all.push(await cost(shape, size))
  return Math.min(...all)
}

for (const [name, shape] of Object.entries({ ...rstShapes, ...asciidocShapes, ...includeShapes })) {
  process.stdout.write(`${name}\n`)
  process.stdout.write(`${await least(shape, small)} ${await least(shape, large)}\n`)
}
