autocmd BufNewFile,BufRead *.norn setfiletype norn
