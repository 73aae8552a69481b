require('norn').start()
