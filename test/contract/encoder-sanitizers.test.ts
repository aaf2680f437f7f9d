import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { weightFile } from '../../scripts/model/quantise.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { randomWeights, shape } from '../support/native/encoder-reference.ts'

const root = join(import.meta.dir, '..', '..')

test('random texts and damaged weight files, under the sanitizers', async () => {
  await using folder = await createTempFolder('encoder-fuzz')
  const program = join(folder.path, 'fuzz')
  const built = Bun.spawnSync([
    ...(process.env.CC?.trim() || 'cc').split(/\s+/),
    ...['-std=gnu11', '-O0', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
    ...['-ffp-contract=off', join(root, 'test', 'native', 'fuzz-encoder.c')],
    ...['kernels.c', 'encoder.c'].map((name) => join(root, 'native', name)),
    ...['-o', program, '-lm', '-lpthread'],
  ])
  expect(built.stderr.toString()).toBe('')
  const weights = join(folder.path, 'weights')
  writeFileSync(weights, weightFile(randomWeights(3), { heads: shape.heads, pooling: 'cls' }))
  const ran = Bun.spawnSync([program, weights, '1', '25'])
  expect(ran.stderr.toString()).toBe('')
  expect(ran.stdout.toString()).toBe('done\n')
})
