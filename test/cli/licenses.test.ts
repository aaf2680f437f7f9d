import { expect, test } from 'bun:test'
import { licensesText } from '../../src/cli/licenses.ts'
import { dependencies } from '../../package.json'

test('lists every dependency, the runtime and the model with a licence text', async () => {
  const text = await licensesText()
  for (const name of Object.keys(dependencies)) {
    const title = new RegExp(`^${RegExp.escape(name)} \\d\\S* \\(.+\\)\\n=+\\n\\n\\S`, 'm')
    expect(text).toMatch(title)
  }
  for (const title of [/^bun \d/m, /^bge-small-en-v1\.5 .* \(MIT\)$/m]) expect(text).toMatch(title)
})
