import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine, type EngineOptions } from '../../src/embed/engine.ts'
import { goldenIds, isNearGolden } from '../../src/embed/golden.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { builtinOptions, modelFiles } from '../support/native/golden.ts'

async function options(wanted: Partial<EngineOptions>): Promise<EngineOptions> {
  const builtin = await builtinOptions(modelFiles.int8)
  const { encoder: encoderPath } = modelFiles
  const shape = { encoderPath, dimensions: 384, pooling: 'cls', threads: 2 } as const
  return { ...builtin, ...shape, engine: 'auto', ...wanted }
}

/** Checks which engine is chosen, and its description. */
async function check(wanted: Partial<EngineOptions>, arithmetic: string, detail: RegExp) {
  const engine = await openEngine(await options(wanted))
  expect(engine).toMatchObject({ arithmetic, detail: expect.stringMatching(detail) })
  return engine
}

test('uses the built-in encoder if the CPU has instructions for products of bytes', async () => {
  const engine = await check({}, 'native-int8', /^(amx|avx512vnni|avxvnni|avx2|i8mm|dotprod)$/)
  expect(isNearGolden(await engine.run([goldenIds]))).toBe(true)
})

test('otherwise uses ONNX Runtime and reports the reason', async () => {
  await check({ engine: 'onnx' }, 'onnx-int8', /asked for/)
  await check({ encoderPath: null }, 'onnx-int8', /no weight file/)
  await check({ kernelsPath: null }, 'onnx-int8', /kernels were not built/)
  await using folder = await createTempFolder('engine')
  const damaged = join(folder.path, 'weights')
  writeFileSync(damaged, 'OGENCODE')
  await check({ encoderPath: damaged }, 'onnx-int8', /cut short/)
})

test('uses the built-in encoder if the model graph is missing, or reports what to do', async () => {
  const alone = { modelPath: null, bindingPath: null }
  await check(alone, 'native-int8', /./)
  const open = async () => openEngine(await options({ ...alone, encoderPath: import.meta.path }))
  const fault = { message: expect.stringMatching(/^Cannot use the native encoder: .*weights/) }
  expect(await open().catch((error) => error)).toMatchObject({
    ...fault,
    hint: expect.stringContaining('embeddings.engine (OG_EMBEDDER) to onnx'),
  })
})

test('uses only the encoder on request, and fails if it cannot', async () => {
  await check({ engine: 'native' }, 'native-int8', /./)
  expect(openEngine(await options({ engine: 'native', encoderPath: null }))).rejects.toThrow(
    'Cannot use the native encoder: there is no weight file for this model',
  )
})
