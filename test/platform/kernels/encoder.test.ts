import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildKernels } from '../../../scripts/build/kernels.ts'
import { weightFile } from '../../../scripts/model/quantise.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { randomWeights, shape } from '../../support/native/encoder-reference.ts'
import { testWhere } from '../../support/where.ts'

const { path: library } = await buildKernels()
const test = testWhere(library === null ? 'no C compiler has built the kernels' : null)

test("computes the same results without bun:ffi's machine code", async () => {
  await using folder = await createTempFolder('answers')
  const weights = join(folder.path, 'weights')
  writeFileSync(weights, weightFile(randomWeights(7), { heads: shape.heads, pooling: 'cls' }))
  const answers = async (env: Record<string, string>) => {
    await using child = startScript('native/answers.ts', [library!, weights], { env })
    return JSON.parse((await child.line())!)
  }
  const usual = await answers({})
  expect(usual.rows).toHaveLength(2 * usual.sizes[0])
  expect(usual.isa).not.toContain('js')
  expect(await answers({ BUN_JSC_useJIT: '0' })).toEqual(usual)
})

test('never lets native code read a collected array', async () => {
  await using folder = await createTempFolder('collected')
  const weights = join(folder.path, 'weights')
  writeFileSync(weights, weightFile(randomWeights(7), { heads: shape.heads, pooling: 'cls' }))
  // An option of JavaScriptCore: collects garbage at every second allocation above a size.
  const env = { BUN_JSC_slowPathAllocsBetweenGCs: '2' }
  await using child = startScript('collected.ts', [library!, weights], { env })
  expect(await child.line()).toBe('0')
  expect(await child.exited).toBe(0)
})
