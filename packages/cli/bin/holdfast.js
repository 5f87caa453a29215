#!/usr/bin/env node
// Plain JavaScript for any Node, so that an old one gets a message and not a syntax error. npm links this file before `dist` is built.
const wanted = 24
const version = process.versions.node

if (Number(version.split('.')[0]) < wanted) {
  process.stderr.write(`holdfast: needs Node.js ${wanted} or newer, but this is ${version} (${process.execPath}). Install a newer one.\n`)
  process.exitCode = 2
} else {
  import('../dist/main.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('dist/main.js')) throw error
    process.stderr.write('holdfast: dist/main.js is missing. In a checkout, run `npm run build` first.\n')
    process.exitCode = 2
  })
}
