import { expect, test } from 'bun:test'
import { api } from '../../src/operation/api.ts'

test('uses the version in the name, or else the versions of the project', async () => {
  const requests: unknown[] = []
  const symbol = { qualifiedName: 'a.b', signature: 'def b()', deprecated: null, line: 3, url: 'u' }
  const og = {
    async api(request: unknown) {
      requests.push(request)
      return { library: 'a', version: '1', symbols: [symbol] }
    },
  }
  const context = { og, project: async () => ({ pins: [], problems: [] }) as never }
  const answer = await api.run(context, { library: 'a@1', prefix: 'a.b', version: null })
  await api.run(context, { library: 'a', prefix: null, version: null })
  expect(requests).toEqual([
    { library: 'a', version: '1', project: null, prefix: 'a.b' },
    { library: 'a', version: null, project: { pins: [], problems: [] }, prefix: '' },
  ])
  expect(api.json(answer)).toEqual({
    library: 'a',
    version: '1',
    symbols: [{ name: 'a.b', signature: 'def b()', deprecated: null, url: 'u' }],
  })
})
