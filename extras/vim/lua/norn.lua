-- Starts the language server of the command norn for a buffer, in Neovim 0.7 and later.
local M = {}

local client

function M.start()
  if vim.fn.executable('norn') == 0 then return end
  if vim.lsp.start then
    vim.lsp.start({ name = 'norn', cmd = { 'norn', 'lsp' } })
    return
  end
  if not client or not vim.lsp.get_client_by_id(client) then
    client = vim.lsp.start_client({ name = 'norn', cmd = { 'norn', 'lsp' } })
  end
  vim.lsp.buf_attach_client(0, client)
end

return M
