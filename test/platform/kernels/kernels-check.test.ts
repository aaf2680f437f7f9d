import { expect, test } from 'bun:test'
import { checkKernels } from '../../../src/library/doctor/doctor.ts'
import { loadNatives } from '../../../src/platform/native/load.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'

function check(path: string | null, detail: string, hint?: string) {
  const expected = { ok: true, detail: expect.stringContaining(detail) }
  expect(checkKernels(path)).toEqual(hint === undefined ? expected : { ...expected, hint })
}

const builder = 'install a C compiler and build og again (npm run build)'

test('reports the instruction set in use', async () => {
  const { kernels } = await loadNatives('', () => {})
  const { isa, fallbackReason } = openKernels(kernels)
  if (fallbackReason === undefined) check(kernels, `${isa}, exact`)
  else check(kernels, fallbackReason, builder)
})

test('falls back to JavaScript if the kernels are missing or broken, and gives the reason', () => {
  check(null, 'JavaScript twins (slower): the kernels were not built', builder)
  check(import.meta.path, 'JavaScript twins (slower): ', builder)
})
