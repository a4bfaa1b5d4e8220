// The script of the lesson in a sandbox: each command gets a button that copies it. The host serves this file unchanged.

for (const [index, block] of document.querySelectorAll('pre:is(.sh, .start, .text)').entries()) {
  const button = document.createElement('button')
  const show = text => {
    button.textContent = text
    button.setAttribute('aria-label', `${text} command ${index + 1}`)
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
