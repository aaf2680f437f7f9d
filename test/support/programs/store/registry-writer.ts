/** Adds entries one by one, each in its own change: `registry-writer.ts FOLDER NAME COUNT`. */
import { changeEntries, readEntries } from '../../../../src/store/registry.ts'
import { entryOf, generationNamed } from '../../store.ts'

const [folder = '', name = '', count = '0'] = process.argv.slice(2)
process.stdout.write(`reads ${(await readEntries(folder)).length}\n`)
for (let i = 0; i < Number(count); i++) {
  const entry = entryOf(`${name}${i}`, generationNamed(`${name}${i}`))
  await changeEntries(folder, (entries) => [...entries, entry]).catch((error) => {
    process.stdout.write(`${error}\n`)
    process.exit(2)
  })
}
