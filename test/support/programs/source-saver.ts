/** Saves sources one by one: `source-saver.ts HOME CWD NAME COUNT`. */
import { join } from 'node:path'
import { saveSource } from '../../../src/library/sources/save-source.ts'

const [home = '', cwd = '', name = '', count = '0'] = process.argv.slice(2)
for (let i = 0; i < Number(count); i++) {
  const source = { kind: 'git_repo' as const, url: 'https://a.example/b.git', docsPaths: [] }
  const { problems } = await saveSource({
    library: `${name}${i}`,
    source,
    cwd,
    home,
    lists: join(home, 'lists'),
  })
  if (problems.length > 0) process.exit(2)
}
