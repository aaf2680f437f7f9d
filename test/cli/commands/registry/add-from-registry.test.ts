import { expect, test } from 'bun:test'
import { addFromRegistry } from '../../../../src/cli/commands/registry/add-from-registry.ts'
import type { Context } from '../../../../src/cli/context.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'

test('searches registries only for a bare name, and only if a registry is known', async () => {
  await using temp = await createTempFolder('og-add-listed')
  const context = { env: { HOME: temp.path }, terminal: {} } as unknown as Context
  const options = {
    as: null,
    trust: false,
    'min-health': null,
    'lock-timeout': 1,
    json: false,
    version: null,
    source: null,
    from: null as string | null,
    'docs-path': [],
    'dry-run': false,
  }
  const check = async (typed: string, changed: Partial<typeof options>) =>
    expect(await addFromRegistry(context, typed, { ...options, ...changed } as never)).toBe(null)
  await check('kettle', {})
  await check('kettle', { from: 'source' })
  await check('./kettle', {})
  const refused = addFromRegistry(context, 'kettle', { ...options, from: 'x' } as never)
  await expect(refused).rejects.toThrow('--from is pack or source, not "x"')
})
