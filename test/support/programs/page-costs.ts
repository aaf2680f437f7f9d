/**
 * Reads the names of shapes from stdin, one per line, and prints a line of JSON for each: the
 * milliseconds of CPU time for a small and a large page. It is a separate script so that a page
 * that never ends can be killed. Arguments: the two sizes.
 */
import { runPage } from '../pages/page-path.ts'
import { shapes } from '../pages/shapes.ts'
import { usedCpuMs } from '../pages/cpu-time.ts'

const [small = 0, large = 0] = process.argv.slice(2).map(Number)
const byName = new Map(shapes.map((shape) => [shape.name, shape]))

// Compiles the code first, so that compilation is not measured.
for (const { extension, page } of shapes.filter((_, at) => at % 12 === 0)) {
  await runPage(page(1000), extension)
}
for await (const name of console) {
  const { page, extension } = byName.get(name)!
  const cost = async (size: number) => {
    const text = page(size)
    const before = usedCpuMs()
    await runPage(text, extension)
    return usedCpuMs() - before
  }
  console.log(JSON.stringify([await cost(small), await cost(large)]))
}
