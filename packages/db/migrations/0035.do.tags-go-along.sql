-- A whole lot that is moved to another warehouse takes its RFID tag along, and brings it back when the move is reversed.

grant update (rfid_tag) on lot to inventory_worker;
