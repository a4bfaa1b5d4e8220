// The script of the lesson in a sandbox: each command gets a button that copies it. The host serves this file unchanged.

/** Puts a button beside a block that copies its text. `about` names the text. */
function addCopyButton(block, about) {
  const button = document.createElement('button')
  const show = text => {
    button.textContent = text
    button.setAttribute('aria-label', `${text} ${about}`)
  }
  button.type = 'button'
  show('Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent).then(
      () => show('Copied'),
      () => show('Not copied'),
    )
    setTimeout(show, 2000, 'Copy')
  })
  const command = document.createElement('div')
  command.className = 'command'
  block.replaceWith(command)
  command.append(block, button)
}

for (const [index, block] of document.querySelectorAll('pre:is(.sh, .start, .text)').entries())
  addCopyButton(block, `command ${index + 1}`)
