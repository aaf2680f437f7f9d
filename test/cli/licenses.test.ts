import { expect, test } from 'bun:test'
import { licensesText } from '../../src/cli/licenses.ts'
import { dependencies } from '../../package.json'

test('lists a licence text for the runtime, the model and every dependency', async () => {
  const text = await licensesText()
  for (const name of Object.keys(dependencies)) {
    const title = new RegExp(`^${RegExp.escape(name)} \\d\\S* \\(.+\\)\\n=+\\n\\n\\S`, 'm')
    expect(text).toMatch(title)
  }
  for (const title of [/^bun \d/m, /^bge-small-en-v1\.5 .* \(MIT\)$/m]) expect(text).toMatch(title)
})
