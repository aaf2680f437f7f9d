#!/usr/bin/env node
// Starts the og of this system: it lies in an optional package, of which npm installs the one that
// fits. Nothing is downloaded, and no install script runs.
'use strict'
const { spawnSync } = require('node:child_process')
const { dirname, join } = require('node:path')

const { name } = require('./package.json')

function libc() {
  if (process.platform !== 'linux') return ''
  // Otherwise it looks up the names of open connections.
  process.report.excludeNetwork = true
  const { glibcVersionRuntime } = process.report.getReport().header
  return glibcVersionRuntime === undefined ? '-musl' : ''
}

function executable() {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const target = `${system}-${process.arch}${libc()}`
  const file = process.platform === 'win32' ? 'og.exe' : 'og'
  try {
    return join(dirname(require.resolve(`${name}-${target}/package.json`)), file)
  } catch {
    process.stderr.write(`error: Cannot start og: the package ${name}-${target} is not installed\n`
      + 'hint: install without --omit=optional, on a system that og is built for\n')
    process.exit(2)
  }
}

const ran = spawnSync(executable(), process.argv.slice(2), { stdio: 'inherit' })
if (ran.error) {
  process.stderr.write(`error: Cannot start og: ${ran.error.message}\n`)
  process.exit(2)
}
// A signal that ended og ends us: whoever started us is to see it.
if (ran.signal) process.kill(process.pid, ran.signal)
process.exitCode = ran.status ?? 1
