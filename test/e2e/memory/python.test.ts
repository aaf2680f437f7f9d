import { expect } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createWorld } from '../../support/e2e.ts'
import { testWhere } from '../../support/where.ts'

const folder = join(import.meta.dir, '..', '..', '..', 'packaging', 'python')
const lack = Bun.which('python3') === null ? 'python3 is not here' : null

testWhere(lack)(
  'og_memory passes its own tests with the executable (packaging/python/tests)',
  async () => {
    await using world = await createWorld()
    const env = { ...world.env, OG_EXECUTABLE: world.executable, PYTHONDONTWRITEBYTECODE: '1' }
    const args = ['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'tests']
    const child = spawn('python3', args, { cwd: folder, env })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(`${said}\nexit code ${code}`).toMatch(/Ran \d+ tests .*\n\nOK\n\nexit code 0$/s)
  },
  120_000,
)
