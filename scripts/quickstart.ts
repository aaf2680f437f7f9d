/** `npm run quickstart` builds og, indexes docs/ and runs one query. */
import { join, relative } from 'node:path'
import { messageOf, OgError } from '../src/platform/error.ts'
import { build } from './build/build.ts'
import { buildKernels } from './build/kernels.ts'
import { acquireBuildModel } from './model/model.ts'

const question = 'where does og keep its data?'
const root = join(import.meta.dir, '..')

/** Returns the exit code of the query. The index is written to the user's own store. */
async function quickstart(): Promise<number> {
  step('1/5 kernels')
  const kernels = await buildKernels()
  if (kernels.path === null) step(`note: ${kernels.reason}; the JavaScript twins serve`)
  step('2/5 model')
  await acquireBuildModel()
  step('3/5 dist/og')
  const og = await build()
  step('4/5 og add og --source docs')
  const added = await run(og, ['add', 'og', '--source', 'docs'])
  // Exit code 1 means that some pages failed; the others are indexed.
  if (added > 1) return added
  step(`5/5 og query "${question}" --library og --top-k 3`)
  const code = await run(og, ['query', question, '--library', 'og', '--top-k', '3'])
  step(`\nNext: ${relative(process.cwd(), og)} --help`)
  return code
}

async function run(og: string, args: string[]): Promise<number> {
  return Bun.spawn([og, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited
}

function step(line: string): void {
  process.stderr.write(`${line}\n`)
}

process.exitCode = await quickstart().catch((error: unknown) => {
  step(messageOf(error))
  if (error instanceof OgError && error.hint) step(`hint: ${error.hint}`)
  return 2
})
